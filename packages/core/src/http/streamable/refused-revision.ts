import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { Selection } from '../../protocol/revisions/select.ts'
import { refuse } from '../refusals.ts'
import type { HttpReply } from '../types.ts'

/** The reply where none of the revisions is served that it would take. */
export const refuseRevision = (
  { error, reason }: Extract<Selection, { readonly kind: 'refuse' }>,
  id: RequestId | undefined,
): HttpReply => refuse(reason, { id, message: error.message, code: error.code })
