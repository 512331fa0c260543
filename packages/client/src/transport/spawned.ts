import type { ServerProcess } from '../stdio/options.ts'
import type { Dial } from './client-transport.ts'

/** What starts a process when it is called: whoever has to ask somebody first must be able to tell. */
const processes = new WeakMap<Dial, ServerProcess>()

export function startsProcess(dial: Dial, started: ServerProcess): Dial {
  processes.set(dial, started)
  return dial
}

export const processOf = (dial: Dial): ServerProcess | undefined => processes.get(dial)
