import { ErrorCode } from '../../errors.ts'
import { toErrorObject } from '../jsonrpc.ts'
import { baseRevision } from './base.ts'
import type { RevisionData } from './data.ts'
import type { Revision } from './revision.ts'

/** The behaviour that all session revisions share, over one revision's data. */
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
  // Errors are answers like any other here; 404 would tell the client that its session is gone.
  httpStatus: (error) => (error.reason === 'busy' || error.reason === 'ended' ? 503 : 200),
})
