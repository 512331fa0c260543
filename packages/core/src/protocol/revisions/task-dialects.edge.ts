import type * as whole from './task-dialects.ts'

export const experimentalTasks: typeof whole.experimentalTasks = undefined

export const extensionTasks: typeof whole.extensionTasks = undefined
