import type * as whole from './tasks.ts'

export const taskMethods: typeof whole.taskMethods = () => []
