import { leftOut } from '../errors-left-out.ts'
import type * as whole from './connection.ts'

export const serveTransport: typeof whole.serveTransport = () => {
  throw leftOut('server.connect')
}
