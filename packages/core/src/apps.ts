export { app, apps } from './features/apps/app.ts'
export type { AppCsp, AppDefinition, AppPermission, ToolAudience, ToolUi } from './features/apps/app-types.ts'
