import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TransportFactory } from '@jetway/client'
import { http } from '@jetway/client/http'
import { childProcess, type ChildProcessOptions } from '@jetway/client/stdio'

const preload = new URL('on-loopback.mjs', import.meta.url).href

/** The entry file of a published server. */
export const commandOf = (name: 'everything' | 'filesystem' | 'memory'): string =>
  join(
    dirname(fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/package.json`))),
    'dist/index.js',
  )

/** Connects to a published server as a child process. */
export const run = (
  name: Parameters<typeof commandOf>[0],
  args: readonly string[] = [],
  options: Partial<ChildProcessOptions> = {},
): TransportFactory =>
  childProcess({
    command: process.execPath,
    args: [commandOf(name), ...args],
    stderr: 'ignore',
    ...options,
  })

/** A server that is reached over HTTP. */
export interface Running {
  readonly url: string
  close(): Promise<void>
}

const PATHS = { sse: '/sse', streamableHttp: '/mcp' } as const

/** Starts server-everything over HTTP on a free loopback port. */
export async function serveEverything(transport: keyof typeof PATHS): Promise<Running> {
  const child: ChildProcess = fork(commandOf('everything'), [transport], {
    execArgv: ['--import', preload],
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  const first = (await Promise.race([once(child, 'message'), exited])) as [{ port: number } | number | null]
  if (typeof first[0] !== 'object' || first[0] === null) throw new Error(`The server exited with ${first[0]}`)
  return {
    url: `http://127.0.0.1:${first[0].port}${PATHS[transport]}`,
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Starts server-everything over each transport. */
export const TRANSPORTS: readonly (readonly [
  string,
  () => Promise<{ readonly dial: TransportFactory; readonly close: () => Promise<void> }>,
])[] = [
  ['as a child process', () => Promise.resolve({ dial: run('everything'), close: () => Promise.resolve() })],
  ['over HTTP+SSE', () => overHttp('sse')],
  ['over Streamable HTTP', () => overHttp('streamableHttp')],
]

async function overHttp(
  transport: keyof typeof PATHS,
): Promise<{ readonly dial: TransportFactory; readonly close: () => Promise<void> }> {
  const running = await serveEverything(transport)
  return { dial: http(running.url), close: () => running.close() }
}
