// Vitest looks for a configuration with this name. The workspace is defined in the other file.
export { default } from './vitest.workspace.ts'
