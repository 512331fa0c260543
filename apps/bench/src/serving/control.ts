import type { Answers, Ask, Report } from './messages.ts'
import { startProfile } from './profile.ts'

let prepared: Answers = {}
let stopProfile: Awaited<ReturnType<typeof startProfile>> | undefined

/** Returns the responses that the bench has prepared for this server. */
export const answers = (): Answers => prepared

/**
 * Reports that the server accepts requests (port 0 if it has none), and answers
 * the bench until it disconnects.
 *
 * @param notify - sends one notification to all open streams
 * @param headers - the headers of every request
 */
export function ready(port = 0, notify?: () => void, headers: Readonly<Record<string, string>> = {}): void {
  // The server ends with the bench, so that no server is left running.
  process.on('disconnect', () => process.exit())
  process.on('message', (message: Ask) => {
    if (message.ask === 'notify') notify?.()
    else void answer(message).then(send)
  })
  send({ report: 'ready', port, headers })
}

async function answer(message: Exclude<Ask, { readonly ask: 'notify' }>): Promise<Report> {
  if (message.ask === 'prepare') {
    prepared = message.answers
    return { report: 'prepared' }
  }
  if (message.ask === 'memory') return { report: 'memory', bytes: await settledMemory() }
  if (message.ask === 'profile') {
    stopProfile = await startProfile()
    return { report: 'profiling' }
  }
  if (message.ask === 'shares')
    return { report: 'shares', shares: (await stopProfile?.(message.file)) ?? { busy: 0, write: 0 } }
  const { user, system } = process.cpuUsage()
  return { report: 'cpu', micros: user + system }
}

/** A second collection frees what the first one's finalizers released. */
async function settledMemory(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage.rss()
}

function send(report: Report): void {
  process.send?.(report)
}
