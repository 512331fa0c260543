import { classify, type Incoming } from './jsonrpc.ts'
import { Method } from './methods.ts'

const MAX_BATCH = 100

/**
 * A batch in order, or what is wrong with it. One bad message spoils it all:
 * answering each would multiply bytes.
 */
export type Batch = { readonly items: readonly Incoming[] } | { readonly fault: string }

/**
 * Reads an array of messages: requests and notifications, or responses, and never `initialize`.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server
 */
export function readBatch(values: readonly unknown[]): Batch {
  if (values.length === 0 || values.length > MAX_BATCH)
    return { fault: `A batch has 1 to ${MAX_BATCH} messages` }
  const items = values.map(classify)
  const responses = items.filter(({ kind }) => kind === 'response').length
  if (items.some(({ kind }) => kind === 'invalid')) return { fault: 'A message of the batch is malformed' }
  if (responses > 0 && responses < items.length)
    return { fault: 'Responses do not share a batch with other messages' }
  const opens = items.some((item) => item.kind === 'request' && item.message.method === Method.Initialize)
  return opens ? { fault: 'initialize must not be part of a batch' } : { items }
}
