export { childProcess, ChildProcessTransport } from './child-process.ts'
export { ProcessExitError, SpawnError } from './errors.ts'
export type {
  ChildProcessLike,
  ChildProcessOptions,
  Spawn,
  SpawnOptions,
  Stop,
  StopSteps,
} from './options.ts'
export type { ServerProcess } from '../transport/client-transport.ts'
