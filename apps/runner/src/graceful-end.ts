import process from 'node:process'
import { CLOSE_DEADLINE_MS } from './http-server.ts'

/** How long sockets and files may take to close after the calls' deadline, in ms. */
const GRACE_MS = 2_000

/**
 * Ends the process gracefully on SIGINT and SIGTERM, with code 0. A second signal, or a stop that hangs,
 * terminates the process immediately with code 1.
 */
export function endOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  const end = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS + GRACE_MS).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}
