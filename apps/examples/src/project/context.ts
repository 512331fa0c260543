// #region file
import type { RequestContext } from '@jetway/core'
import type { Database } from './database.ts'

/** The data of one request, computed by the mount. */
export interface Locals {
  readonly team: string
}

/** The second argument of every handler on this server. */
export type Context = RequestContext<Database, Locals>
// #endregion
