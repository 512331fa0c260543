import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Dial } from '@jetway/client'
import { http } from '@jetway/client/http'
import { childProcess, type ChildProcessOptions } from '@jetway/client/stdio'

const preload = new URL('on-loopback.mjs', import.meta.url).href

/** The file that a package's command starts. */
export const commandOf = (name: 'everything' | 'filesystem' | 'memory'): string =>
  join(
    dirname(fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/package.json`))),
    'dist/index.js',
  )

/** A server that npm has, as a host runs it. */
export const run = (
  name: Parameters<typeof commandOf>[0],
  args: readonly string[] = [],
  options: Partial<ChildProcessOptions> = {},
): Dial =>
  childProcess({
    command: process.execPath,
    args: [commandOf(name), ...args],
    stderr: 'ignore',
    ...options,
  })

/** A server that somebody else runs. */
export interface Running {
  readonly url: string
  close(): Promise<void>
}

const PATHS = { sse: '/sse', streamableHttp: '/mcp' } as const

/** Server-everything over HTTP, on a free port of loopback. */
export async function serveEverything(way: keyof typeof PATHS): Promise<Running> {
  const child: ChildProcess = fork(commandOf('everything'), [way], {
    execArgv: ['--import', preload],
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const gone = once(child, 'exit')
  const told = (await Promise.race([once(child, 'message'), gone])) as [{ port: number } | number | null]
  if (typeof told[0] !== 'object' || told[0] === null) throw new Error(`The server ended with ${told[0]}`)
  return {
    url: `http://127.0.0.1:${told[0].port}${PATHS[way]}`,
    async close() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Ways to server-everything: how to get there, and how to leave. */
export const WAYS: readonly (readonly [
  string,
  () => Promise<{ readonly dial: Dial; readonly close: () => Promise<void> }>,
])[] = [
  ['as a child process', () => Promise.resolve({ dial: run('everything'), close: () => Promise.resolve() })],
  ['over HTTP+SSE', () => served('sse')],
  ['over Streamable HTTP', () => served('streamableHttp')],
]

async function served(
  way: keyof typeof PATHS,
): Promise<{ readonly dial: Dial; readonly close: () => Promise<void> }> {
  const running = await serveEverything(way)
  return { dial: http(running.url), close: () => running.close() }
}
