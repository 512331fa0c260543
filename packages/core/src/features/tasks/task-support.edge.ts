import { leftOut } from '../../errors-left-out.ts'
import type * as whole from './task-support.ts'

export const checkTaskSupport: typeof whole.checkTaskSupport = (
  { name },
  { taskSupport, immediateResponse },
) => {
  if ((taskSupport ?? 'forbidden') !== 'forbidden' || immediateResponse !== undefined)
    throw leftOut(`The tool ${JSON.stringify(name)} is to run as a task, which`)
  return { taskSupport: undefined, immediateResponse: undefined }
}
