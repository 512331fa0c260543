import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onFetch } from '@jetway-apps/test-support/mounts'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it, onTestFinished } from 'vitest'
import { type Api, modelServer, nameOf, type Script } from './support/model-server.ts'
import { shop } from './support/shop.ts'
import { type App, isRunning, startApp } from './support/start-app.ts'

const HELLO = fileURLToPath(new URL('../../examples/src/quickstart/hello-stdio.ts', import.meta.url))
const WEATHER = new URL('../../weather/src/main.ts', import.meta.url)
const SHOP = new URL('./support/serve-shop.ts', import.meta.url)

/** Calls tools in order, then replies with the last result. */
const inTurn =
  (...tools: readonly (readonly [tool: string, args?: object])[]): Script =>
  (request, count) => {
    const [tool, args = {}] = tools[count - 1] ?? []
    return tool === undefined
      ? { text: `It said <${request.results.join('|')}>` }
      : { calls: [{ name: nameOf(request, tool), args }] }
  }

it('the app runs a TypeScript server until the user quits', async () => {
  const { env } = await modelServer(inTurn(['hello']))
  const app = startApp([HELLO], env('anthropic'))
  await app.waitForText('Connected to hello-stdio, with 1 tool\n  hello: Says hello\n')
  app.type('Say hello')
  await app.waitForText('Call hello of hello-stdio?')
  app.type('y')
  await app.waitForText('It said <Hello, world>')
  const servers = app.serverPids()
  expect(servers).toHaveLength(1)
  expect(servers.every(isRunning)).toBe(true)
  app.type('QUIT')
  expect(await app.exited).toBe(0)
  expect(servers.some(isRunning)).toBe(false)
  expect(app.output.stdout + app.output.stderr).not.toContain('key-of-tests')
})

it('the app connects to servers from a config file and at a URL, and runs until its input ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-chat-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mcp.json')
  const from = (script: URL, ...args: readonly string[]): object => ({
    command: process.execPath,
    args: [...program(script), ...args],
  })
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: {
        weather: from(WEATHER, '--stdio'),
        shop: from(SHOP),
        broken: { command: '${NOWHERE_AT_ALL}' },
        absent: { command: 'no-such-program-anywhere' },
        off: { command: 'x', disabled: true },
      },
    }),
  )
  const remote = await onFetch(shop())
  onTestFinished(remote.stop)
  const { env, requests } = await modelServer((each, count) => {
    const call = (name: string, args: object): { calls: { name: string; args: object }[] } => ({
      calls: [{ name, args }],
    })
    if (count === 1) return call('mcp__weather__get_forecast', { city: 'Denver' })
    if (count === 2) return call('mcp__shop__price', { thing: { name: 'Tea' } })
    if (count === 3) return call('mcp__127-0-0-1__price', { thing: { name: 'Milk' } })
    return { text: `In the end <${each.results.join()}>` }
  })
  const app = startApp([file, `${remote.origin}/mcp`, '--yes'], env('openai'))
  app.process.stdin.end('All of it, please\n')
  await app.waitForText('Connected to weather')
  const servers = app.serverPids()
  expect(servers).toHaveLength(2)
  expect(await app.exited).toBe(0)
  expect(app.output.stdout).toContain('In the end <Milk: 3>')
  expect(requests.map(({ results }) => results.join()).slice(1)).toEqual([
    expect.stringContaining('Denver'),
    'Tea: 3',
    'Milk: 3',
  ])
  expect(app.output.stderr).toContain('needs the environment variable NOWHERE_AT_ALL, which is not set')
  expect(app.output.stderr).toContain(
    'Failed to connect to absent: Could not start "no-such-program-anywhere"',
  )
  expect(app.output.stderr).toContain('Disabled in')
  expect(servers.some(isRunning)).toBe(false)
})

/** Starts the app and a call that never ends. */
async function duringACall(api: Api): Promise<App & { readonly servers: readonly number[] }> {
  const { env } = await modelServer(inTurn(['wait']))
  const app = startApp([fileURLToPath(SHOP), '--yes'], env(api))
  await app.waitForText('Query:')
  app.type('Take your time')
  await app.waitForText('[mcp__serve-shop__wait {}]')
  return { ...app, servers: app.serverPids() }
}

it('the first Ctrl-C cancels the query, and the second ends the chat', async () => {
  const { servers, ...app } = await duringACall('anthropic')
  app.process.kill('SIGINT')
  await app.waitForText('Cancelled.')
  expect(servers.every(isRunning)).toBe(true)
  app.process.kill('SIGINT')
  expect(await app.exited).toBe(0)
  expect(servers).toHaveLength(1)
  expect(servers.some(isRunning)).toBe(false)
})

it('SIGTERM during a call leaves no processes behind', async () => {
  const { servers, ...app } = await duringACall('openai')
  app.process.kill('SIGTERM')
  expect(await app.exited).toBe(0)
  expect(servers).toHaveLength(1)
  expect(servers.some(isRunning)).toBe(false)
})

it('if no model is configured, the app names the variables to set and starts no servers', async () => {
  const app = startApp([fileURLToPath(SHOP)])
  expect(await app.exited).toBe(2)
  expect(app.output.stderr).toContain('ANTHROPIC_API_KEY')
  expect(app.output.stderr).toContain('OPENAI_BASE_URL')
  expect(app.output.stdout).toBe('')
})
