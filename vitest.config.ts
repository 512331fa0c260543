// Vitest looks for a configuration of this name; the workspace is in the other file.
export { default } from './vitest.workspace.ts'
