import { describe, expect, it } from 'vitest'
import { readBatch } from '../../src/call/batch.ts'

const request = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('readBatch (https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server)', () => {
  const notification = { jsonrpc: '2.0', method: 'x' }
  const response = { jsonrpc: '2.0', id: 1, result: {} }

  it.each([
    ['one request', [request], ['request']],
    [
      'a hundred notifications',
      Array.from({ length: 100 }, () => request),
      Array.from({ length: 100 }, () => 'request'),
    ],
    ['requests and notifications', [notification, request], ['notification', 'request']],
    ['responses', [response, response], ['response', 'response']],
    ["a notification with a request's name", [{ ...notification, method: 'initialize' }], ['notification']],
  ])('accepts %s', (_what, values, kinds) => {
    const items = readBatch(values)
    expect(typeof items === 'string' ? items : items.map(({ kind }) => kind)).toEqual(kinds)
  })

  it.each([
    ['an empty array', [], 'A batch has 1 to 100 messages'],
    [
      'a hundred and one notifications',
      Array.from({ length: 101 }, () => request),
      'A batch has 1 to 100 messages',
    ],
    ['a malformed message', [request, 1], 'A message of the batch is malformed'],
    ['a request with a response', [request, response], 'Responses do not share a batch with other messages'],
    ['initialize', [request, { ...request, method: 'initialize' }], 'initialize must not be part of a batch'],
  ])('rejects %s', (_what, values, fault) => {
    expect(readBatch(values)).toBe(fault)
  })
})
