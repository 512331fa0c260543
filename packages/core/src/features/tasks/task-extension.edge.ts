import { leftOut } from '../../errors-left-out.ts'
import type * as whole from './task-extension.ts'

export const tasks: typeof whole.tasks = () => {
  throw leftOut('The extension of tasks')
}
