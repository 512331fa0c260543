import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import { startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it, onTestFinished, vi } from 'vitest'

const post = (url: string, message: object, headers: object = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(message) })

it('a session continues on the remaining processes after one process is killed', async () => {
  const cluster = startNode(program(new URL('../src/main.ts', import.meta.url)))
  onTestFinished(async () => void (await cluster.stop('SIGTERM')))
  const [url] = await cluster.until(/http:\/\/127\.0\.0\.1:\d+\/mcp/)
  const opened = await post(url, initialize())
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await post(url, INITIALIZED, headers)).status).toBe(202)
  const who = async (): Promise<number> => {
    const reply = await post(url, callTool('who'), headers)
    expect(reply.status).toBe(200)
    return Number(/Process (\d+)/.exec(await reply.text())?.[1])
  }
  // The prompt's client sends other requests, so three consecutive calls may reach a process twice.
  const seen = new Set<number>()
  await vi.waitFor(async () => expect(seen.add(await who()).size).toBe(3), { timeout: 10_000 })
  const [victim = 0, ...others] = seen
  process.kill(victim, 'SIGKILL')
  await cluster.until(/2 are left/)
  await vi.waitFor(async () => expect(new Set([await who(), await who()])).toEqual(new Set(others)))
})

it('the session of the interactive prompt continues after a process is killed during a call', async () => {
  const cluster = startNode(program(new URL('../src/main.ts', import.meta.url)))
  onTestFinished(async () => void (await cluster.stop('SIGTERM')))
  const type = (line: string): boolean => cluster.process.stdin.write(`${line}\n`)
  await cluster.until(/^> /m)
  type('greet')
  await cluster.until(/Your name\? /)
  type('Ada')
  await cluster.until(/Hello, Ada/)
  type('count 60')
  const [, pid] = await cluster.until(/2 of 60: Process (\d+)/)
  type(`kill ${pid}`)
  await cluster.until(/may have had effects/)
  await cluster.until(/2 are left/)
  type('count 1')
  const [, other] = await cluster.until(/Process (\d+) counted to 1/)
  expect(other).not.toBe(pid)
  type('help')
  await cluster.until(/count 20 [^]*count 20 /)
})

it('the command prints how to install Redis if the Redis executable is missing', async () => {
  const cluster = startNode(program(new URL('../src/main.ts', import.meta.url)), { REDIS_SERVER: 'no-redis' })
  expect(await cluster.exited).toBe(1)
  expect(cluster.output.stderr.trim()).toBe(
    'no-redis does not run. Install Redis, on Debian by node .ci/redis.mjs, or name its program in REDIS_SERVER',
  )
})
