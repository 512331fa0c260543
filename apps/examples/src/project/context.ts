// #region file
import type { RequestContext } from '@jetway/core'
import type { Database } from './database.ts'

/** The data of one request, which the mount computes. */
export interface Locals {
  readonly team: string
}

/** What every handler of this server gets as its second argument. */
export type Context = RequestContext<Database, Locals>
// #endregion
