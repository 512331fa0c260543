import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { fixture } from '../support/bin.ts'
import { createHome } from './support/home.ts'

const MAIN = fileURLToPath(new URL('../../../../apps/weather/src/main.ts', import.meta.url))
const SERVER = [
  process.execPath,
  '--conditions=jetway:source',
  '--import',
  import.meta.resolve('tsx'),
  MAIN,
  '--stdio',
]

const started = new Set<ReturnType<typeof spawn>>()

afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
})

interface WrittenEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts an entry as an app would, and resolves to its first responses. */
async function ask({ command, args, env }: WrittenEntry): Promise<readonly unknown[]> {
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', HOME: process.env['HOME'], ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  started.add(child)
  const lines = createInterface({ input: child.stdout })
  const send = (message: object): boolean =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  send({ id: 1, method: 'initialize', params })
  const first = JSON.parse(String((await once(lines, 'line'))[0])) as unknown
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/list' })
  const second = JSON.parse(String((await once(lines, 'line'))[0])) as unknown
  child.stdin.end()
  await once(child, 'exit')
  return [first, second]
}

describe('an installed entry', () => {
  it('starts a server that responds to an app', async () => {
    const home = await createHome()
    const { stderr, exitCode } = await home.run('install', 'cursor', '--name', 'weather', '--', ...SERVER)
    expect({ stderr, exitCode }).toEqual({
      stderr: expect.stringMatching(/weather answers\. Its tools: \d+/),
      exitCode: 0,
    })
    const { mcpServers } = JSON.parse((await home.read('.cursor/mcp.json')) ?? '') as {
      readonly mcpServers: { readonly weather: WrittenEntry }
    }
    expect(await ask(mcpServers.weather)).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-11-25' } },
      {
        id: 2,
        result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'get_forecast' })]) },
      },
    ])
  })

  it('starts a server that responds to an app, even after install --dev', async () => {
    const home = await createHome()
    const { stderr } = await home.run(
      'install',
      'cursor',
      fixture('definition'),
      '--name',
      'dev',
      '--dev',
      '--export',
      'server',
    )
    expect(stderr).toMatch(/dev answers\. Its tools: 2/)
    const { mcpServers } = JSON.parse((await home.read('.cursor/mcp.json')) ?? '') as {
      readonly mcpServers: { readonly dev: WrittenEntry }
    }
    expect(await ask(mcpServers.dev)).toMatchObject([
      { id: 1 },
      { id: 2, result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'hello' })]) } },
    ])
  })

  it('is written, with a warning, even if the server does not respond', async () => {
    const home = await createHome()
    const { stderr, exitCode } = await home.run(
      'install',
      'cursor',
      '--name',
      'x',
      '--',
      process.execPath,
      '-e',
      '0',
    )
    expect({ stderr, exitCode }).toEqual({
      stderr: expect.stringContaining('x does not answer'),
      exitCode: 0,
    })
    expect(await home.read('.cursor/mcp.json')).toContain('"x"')
  })
})
