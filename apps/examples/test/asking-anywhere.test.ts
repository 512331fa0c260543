import type { RawResponse } from '@jetway/testing'
import { expect, it } from 'vitest'
import { createShop } from '../src/tools/asking-anywhere.ts'
import { peerOf } from './support.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const NEW_KEY = Buffer.alloc(32, 2).toString('base64')

/** Sends one request to a new process. */
async function order(keys: readonly string[], more: object = {}): Promise<RawResponse> {
  const client = await peerOf(createShop(keys), {
    revision: '2026-07-28',
    capabilities: { elicitation: {} },
  })
  const params = { name: 'order', arguments: { article: 'tea' }, ...more }
  const response = await client.request('tools/call', params)
  await client.close()
  return response
}

it('a call with a question can continue only in a process that has the same key', async () => {
  const { result } = await order([KEY])
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { sure: { method: 'elicitation/create', params: { message: 'Order tea?' } } },
  })
  const answered = {
    requestState: result?.['requestState'],
    inputResponses: { sure: { action: 'accept', content: { ok: true } } },
  }
  for (const keys of [[KEY], [NEW_KEY, KEY]])
    expect(await order(keys, answered)).toMatchObject({ result: { content: [{ text: 'Ordered tea' }] } })
  expect(await order([NEW_KEY], answered)).toMatchObject({ error: { code: -32602 } })
})
