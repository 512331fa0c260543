import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inspector, node } from '@jetway-tools/newer-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HTTP_TRANSPORTS, listen, type Listening, stdioCommand } from './support/processes.ts'

const TIMEOUT_MS = 60_000

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jetway-inspector-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the Inspector's command line without the developer's own settings. */
async function inspect(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(node, [inspector, '--cli', ...args, '--format', 'json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    timeout: TIMEOUT_MS,
  })
  return JSON.parse(stdout) as Record<string, unknown>
}

async function listAndCall(...address: readonly string[]): Promise<void> {
  const call = [
    '--method',
    'tools/call',
    '--tool-name',
    'statistics',
    '--tool-args-json',
    '{"numbers":[1,2,3]}',
  ]
  const listed = await inspect(...address, '--method', 'tools/list')
  const called = await inspect(...address, ...call)
  expect(JSON.stringify(listed)).toContain('"statistics"')
  const text = JSON.stringify(called)
  expect(text).toContain('"sum":6')
  expect(text).not.toContain('"isError":true')
}

describe.each(HTTP_TRANSPORTS)('the Inspector CLI over %s', (transport) => {
  let server: Listening
  beforeAll(async () => {
    server = await listen(transport)
  }, TIMEOUT_MS)
  afterAll(() => server?.stop())

  it.each(['legacy', 'modern'])(
    'lists and calls a tool in the %s era',
    (era) => listAndCall('--server-url', server.url, '--transport', 'http', '--protocol-era', era),
    TIMEOUT_MS,
  )

  it(
    'lists and calls a tool on the HTTP+SSE path',
    () => listAndCall('--server-url', new URL('/sse', server.url).href, '--transport', 'sse'),
    TIMEOUT_MS,
  )
})

describe('the Inspector CLI over stdio', () => {
  it.each(['legacy', 'auto'])(
    'lists and calls a tool in the %s era',
    async (era) => {
      const config = join(folder, 'servers.json')
      await writeFile(config, JSON.stringify({ mcpServers: { everything: stdioCommand() } }))
      await listAndCall('--config', config, '--server', 'everything', '--protocol-era', era)
    },
    TIMEOUT_MS,
  )
})
