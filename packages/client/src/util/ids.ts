import type { RequestId } from '@jetway/core/protocol'

/** Whether two ids are the same. Some servers send numbers back as strings. */
export const isSameId = (received: unknown, sent: RequestId): boolean => String(received) === String(sent)
