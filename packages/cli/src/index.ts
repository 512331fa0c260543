export type { CommandIo } from './command.ts'
export { run } from './run.ts'
