export type { AppFlag, AppFlagValues, ServerSettings } from './command-line.ts'
export { CommandLineError } from './command-line.ts'
export { type App, runApp } from './run-app.ts'
