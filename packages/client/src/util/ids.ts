import type { RequestId } from '@jetway/core/protocol'

/** Whether an id of the server is that of a request: some servers send numbers back as strings. */
export const isSameId = (received: unknown, sent: RequestId): boolean => String(received) === String(sent)
