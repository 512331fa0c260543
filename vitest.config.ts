// Vitest looks for a configuration with this name. The workspace is defined in `vitest.workspace.ts`.
export { default } from './vitest.workspace.ts'
