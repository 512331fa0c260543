import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startNode } from '@jetway-apps/test-support/processes'
import type { TransportFactory } from '@jetway/client'
import { http } from '@jetway/client/http'
import { childProcess, type ChildProcessOptions } from '@jetway/client/stdio'

const preload = new URL('on-loopback.mjs', import.meta.url).href

/** Returns the entry file of a published server. */
export const commandOf = (name: 'everything' | 'filesystem' | 'memory'): string =>
  join(
    dirname(fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/package.json`))),
    'dist/index.js',
  )

/** Connects to a published server that runs as a child process. */
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

/** A server over HTTP. */
export interface Running {
  readonly url: string
  close(): Promise<void>
}

const PATHS = { sse: '/sse', streamableHttp: '/mcp' } as const

/** Starts server-everything over HTTP on a free loopback port. */
export async function serveEverything(transport: keyof typeof PATHS): Promise<Running> {
  const child = startNode(['--import', preload, commandOf('everything'), transport], { PORT: '0' })
  const [, port] = await child.until(/^port (\d+)$/m)
  return {
    url: `http://127.0.0.1:${port}${PATHS[transport]}`,
    close: async () => void (await child.stop('SIGKILL')),
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
