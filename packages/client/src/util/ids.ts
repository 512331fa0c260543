import type { RequestId } from '@jetway/core/protocol'

/** Returns whether two ids are the same. Some servers send numeric ids back as strings. */
export const isSameId = (received: unknown, sent: RequestId): boolean => String(received) === String(sent)
