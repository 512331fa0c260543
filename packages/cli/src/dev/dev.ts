import process from 'node:process'
import { StdioTransport } from '@jetway/stdio'
import type { ChildJob } from './process/child-messages.ts'
import type { ClientSide } from './client-side.ts'
import { Child } from './process/child.ts'
import { StdioRelay } from './stdio/stdio-relay.ts'
import { Supervisor } from './supervisor.ts'
import { within } from './conversation/within.ts'
import { watchFiles } from './watch.ts'

export interface DevOptions {
  readonly job: ChildJob
  readonly stopFirst: boolean
  /** Patterns of additional files to watch. */
  readonly globs: readonly string[]
  readonly print: (text: string) => void
}

/** How long calls may continue after their client has disconnected, in ms. */
const END_MS = 2_000

/**
 * Serves a file to the client on stdin and stdout until the client disconnects. Restarts it after each
 * change.
 */
export async function devStdio(options: DevOptions): Promise<void> {
  const relay = new StdioRelay(new StdioTransport(), options.print)
  const running = run(options, relay)
  await Promise.race([relay.ended, signalled()])
  await relay.finish(END_MS)
  await running.close()
}

export interface DevHttpOptions extends DevOptions {
  readonly port: number
  readonly host: string
}

/** Runs the server in a file over HTTP until SIGINT or SIGTERM, and restarts it after each change. */
export async function devHttp({ port, host, ...options }: DevHttpOptions): Promise<void> {
  const { HttpRelay } = await import('./http/http-relay.ts')
  const relay = new HttpRelay({ port, host, print: options.print })
  const listening = await relay.listen()
  const running = run(options, relay)
  options.print(`http://${host.includes(':') ? `[${host}]` : host}:${listening}/mcp`)
  await signalled()
  await within(END_MS, relay.close()).catch(() => {})
  await running.close()
}

interface Running {
  close(): Promise<void>
}

function run({ job, stopFirst, globs, print }: DevOptions, clients: ClientSide): Running {
  const watching = watchFiles({
    folder: process.cwd(),
    globs,
    print,
    onChange(urls) {
      supervisor.change(urls)
    },
  })
  const supervisor = new Supervisor({
    spawn: (generation, onImport) => Child.spawn({ job, generation, onImport, output: process.stderr }),
    clients,
    stopFirst,
    print,
    onImport: (url) => watching.add(url),
  })
  supervisor.start()
  return {
    async close() {
      await watching.close()
      await supervisor.close()
    },
  }
}

/** Resolves on SIGINT or SIGTERM. A second signal terminates the process immediately. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
  })
}
