import process from 'node:process'
import { Terminal as Asker } from '@jetway-apps/terminal'
import type { Terminal } from './terminal.ts'

/** Asks questions on stderr. Reads stdin only while a question is open. */
export interface Asking {
  /** Asks concurrent questions one after another. */
  readonly use: <T>(ask: (asker: Asker) => Promise<T>) => Promise<T>
}

const askings = new WeakMap<Terminal, Asking>()

/**
 * Returns one reader per terminal, because if two readers used the same input, each would receive only some of
 * the lines.
 */
export function askerFor(terminal: Terminal): Asking {
  let asking = askings.get(terminal)
  if (asking === undefined) askings.set(terminal, (asking = createAsking(terminal)))
  return asking
}

function createAsking({ streams }: Terminal): Asking {
  let last: Promise<unknown> = Promise.resolve()
  const run = async <T>(ask: (asker: Asker) => Promise<T>): Promise<T> => {
    const asker = new Asker({
      input: streams.stdin,
      output: streams.stderr,
      // Ctrl-C exits the command during a question, as it does at any other time.
      onInterrupt: () => process.exit(130),
    })
    try {
      return await ask(asker)
    } finally {
      asker.close()
    }
  }
  return {
    use(ask) {
      const answer = last.then(() => run(ask))
      last = answer.catch(() => {})
      return answer
    },
  }
}
