import type { Answers, Ask, Told } from './messages.ts'

let prepared: Answers = {}

/** What the bench has prepared for this server to send. */
export const answers = (): Answers => prepared

/** Says that the server takes requests (0 where it has no port), and answers the bench until it is gone. */
export function ready(port = 0): void {
  // A bench that died must not leave servers behind.
  process.on('disconnect', () => process.exit())
  process.on('message', (message: Ask) => void answer(message).then(tell))
  tell({ told: 'ready', port })
}

async function answer(message: Ask): Promise<Told> {
  if (message.ask === 'prepare') {
    prepared = message.answers
    return { told: 'prepared' }
  }
  if (message.ask === 'memory') return { told: 'memory', bytes: await settledMemory() }
  const { user, system } = process.cpuUsage()
  return { told: 'cpu', micros: user + system }
}

/** A second collection takes what the first one's finalizers let go. */
async function settledMemory(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage.rss()
}

function tell(told: Told): void {
  process.send?.(told)
}
