import { leftOut } from '../errors-left-out.ts'
import type * as whole from './tasks-option.ts'

export const taskRunner: typeof whole.taskRunner = (given) => {
  if (given !== undefined) throw leftOut('The option tasks')
  return undefined
}
