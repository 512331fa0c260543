export { childProcess, ChildProcessTransport } from './child-process.ts'
export { ProcessExitError, SpawnError } from './errors.ts'
export type {
  ChildProcessLike,
  ChildProcessOptions,
  ServerProcess,
  Spawn,
  SpawnOptions,
  Stop,
  StopSteps,
} from './options.ts'
