import type { ServerProcess } from '../stdio/options.ts'
import type { TransportFactory } from './client-transport.ts'

/** Which factories start a process: a manager asks for approval first. */
const processes = new WeakMap<TransportFactory, ServerProcess>()

export function markProcess(transportFor: TransportFactory, started: ServerProcess): TransportFactory {
  processes.set(transportFor, started)
  return transportFor
}

export const processOf = (transportFor: TransportFactory): ServerProcess | undefined =>
  processes.get(transportFor)
