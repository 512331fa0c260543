import { ErrorCode } from '../../errors.ts'
import { toErrorObject } from '../jsonrpc.ts'
import { baseRevision } from './base.ts'
import type { RevisionData } from './data.ts'
import type { Revision } from './revision.ts'

/** Creates the behaviour that all session revisions share, from the data of one revision. */
export const legacyRevision = (data: RevisionData): Revision => ({
  ...baseRevision(data),
  era: 'legacy',
  rounds: undefined,
  cancelOnDisconnect: false,
  parameterHeaders: false,
  envelope: undefined,
  encodeError: (error) => {
    const plain = toErrorObject(error)
    return error.reason === 'resource-not-found' ? { ...plain, code: ErrorCode.ResourceNotFound } : plain
  },
  // Errors are ordinary responses in these revisions; 404 would tell the client that its session no longer
  // exists.
  httpStatus: (error) => (error.reason === 'busy' || error.reason === 'ended' ? 503 : 200),
})
