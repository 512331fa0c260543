import { describe, expect, it } from 'vitest'
import { McpError } from '../../src/errors.ts'
import {
  classify,
  errorFrame,
  notificationFrame,
  resultFrame,
  toErrorObject,
} from '../../src/protocol/jsonrpc.ts'

const request = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('classify() (https://modelcontextprotocol.io/specification/2025-11-25/basic#messages)', () => {
  it.each([
    ['a request', request, 'request'],
    ['a request with id 0', { ...request, id: 0 }, 'request'],
    ['a request with an empty id', { ...request, id: '' }, 'request'],
    ['a request with an id of 1024 characters', { ...request, id: 'x'.repeat(1_024) }, 'request'],
    ['a request with params', { ...request, params: {} }, 'request'],
    ['a notification', { jsonrpc: '2.0', method: 'x' }, 'notification'],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }, 'response'],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }, 'response'],
    ['an error with id null', { jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }, 'response'],
  ])('accepts %s', (_, message, kind) => {
    expect(classify(message).kind).toBe(kind)
  })

  it.each([
    ['null', null],
    ['an array', [request]],
    ['a string', 'ping'],
    ['another JSON-RPC version', { ...request, jsonrpc: '1.0' }],
    ['id null', { ...request, id: null }],
    ['a fractional id', { ...request, id: 1.5 }],
    ['an id beyond 2^53', { ...request, id: 2 ** 63 }],
    ['an object as id', { ...request, id: {} }],
    ['an id of 1025 characters', { ...request, id: 'x'.repeat(1_025) }],
    ['a method and an error', { ...request, error: { code: 1, message: '' } }],
    ['a result with a fractional id', { jsonrpc: '2.0', id: 1.5, result: {} }],
    ['an error that is not an object', { jsonrpc: '2.0', id: 1, error: 'no' }],
    ['an error with a fractional code', { jsonrpc: '2.0', id: 1, error: { code: 1.5, message: '' } }],
    ['an error without a message', { jsonrpc: '2.0', id: 1, error: { code: 1 } }],
    ['an id of 1 MiB', { ...request, id: 'x'.repeat(1_048_576) }],
    ['a method that is not a string', { ...request, method: 1 }],
    ['array params', { ...request, params: [] }],
    ['a method and a result', { ...request, result: {} }],
    ['neither method nor result', { jsonrpc: '2.0', id: 1 }],
    ['result and error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }],
    ['a result that is not an object', { jsonrpc: '2.0', id: 1, result: 1 }],
    ['an error without code', { jsonrpc: '2.0', id: 1, error: {} }],
    ['a capitalised key', { jsonrpc: '2.0', id: 1, Method: 'ping' }],
    ['a key with a long s', { jsonrpc: '2.0', id: 1, method: 'x', params: 5, paramſ: {} }],
  ])('rejects %s', (_, message) => {
    expect(classify(message).kind).toBe('invalid')
  })

  it('keeps a valid id of a rejected message for the error response', () => {
    expect(classify({ ...request, params: [] })).toMatchObject({ id: 1 })
    expect(classify({ ...request, id: null })).not.toHaveProperty('id')
    for (const wrong of [{ jsonrpc: '1.0' }, { method: 1 }, { result: {} }])
      expect(classify({ ...request, ...wrong })).toMatchObject({ kind: 'invalid', id: 1 })
  })
})

describe('message frames', () => {
  it('contain a serialised result unchanged', () => {
    expect(resultFrame('a"b', '{"x":1}')).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":{"x":1}}')
  })

  it('contain a numeric id, or the data of an error', () => {
    expect(resultFrame(7, '{}')).toBe('{"jsonrpc":"2.0","id":7,"result":{}}')
    expect(errorFrame('a', { code: 1, message: 'm', data: { b: 2 } })).toBe(
      '{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"m","data":{"b":2}}}',
    )
    expect(toErrorObject(new McpError(1, 'm', 0))).toEqual({ code: 1, message: 'm', data: 0 })
    expect(Object.keys(toErrorObject(new McpError(1, 'm')))).toEqual(['code', 'message'])
  })

  it('omit the id if an error is about an unreadable message', () => {
    expect(JSON.parse(errorFrame(undefined, { code: -32700, message: 'm' }))).toEqual({
      jsonrpc: '2.0',
      error: { code: -32700, message: 'm' },
    })
  })

  it('omit error data that cannot be serialised', () => {
    expect(JSON.parse(errorFrame(1, { code: 1, message: 'm', data: 1n }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: 1, message: 'm' },
    })
  })

  it('omit empty params', () => {
    expect(notificationFrame('n')).toBe('{"jsonrpc":"2.0","method":"n"}')
  })
})
