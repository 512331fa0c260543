import { runs, start } from './processes.ts'

const STOP = { inputMs: 50, signal: 'SIGTERM', signalMs: 50 } as const
/**
 * The arguments are used in turn: a wrapper whose server ignores signals, and a wrapper whose server leads
 * another process group.
 */
const KINDS = [['wrapper', 'stubborn'], ['detached', 'stubborn'], ['stubborn']] as const

/**
 * Connects and closes many times, several at the same time. Resolves to the recorded pids that are still
 * running.
 */
export async function connectAndClose(rounds: number): Promise<readonly number[]> {
  const pids: number[] = []
  const one = async (index: number): Promise<void> => {
    const { transport, message } = await start(KINDS[index % KINDS.length] ?? ['stubborn'], { stop: STOP })
    pids.push(transport.pid as number, ((await message()) as { readonly pid: number }).pid)
    await transport.close()
  }
  for (let done = 0; done < rounds; done += 4) {
    await Promise.all(Array.from({ length: Math.min(4, rounds - done) }, (_, index) => one(done + index)))
  }
  return pids.filter(runs)
}
