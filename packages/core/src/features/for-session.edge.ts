import { leftOut } from '../errors-left-out.ts'
import type * as whole from './for-session.ts'

export const forSession: typeof whole.forSession = () => {
  throw leftOut('server.forSession')
}
