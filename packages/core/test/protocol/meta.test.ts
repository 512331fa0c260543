import { describe, expect, it } from 'vitest'
import { ErrorCode } from '../../src/errors.ts'
import type { JsonObject } from '../../src/protocol/jsonrpc.ts'
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  LOG_LEVEL,
  progressToken,
  PROTOCOL_VERSION,
} from '../../src/protocol/methods.ts'
import { namesVersion, readRequestMeta } from '../../src/protocol/revisions/select.ts'

it.each([
  [undefined, undefined],
  [{}, undefined],
  [{ _meta: 1 }, undefined],
  [{ _meta: { progressToken: null } }, undefined],
  [{ _meta: { progressToken: 0 } }, 0],
  [{ _meta: { progressToken: '' } }, ''],
])('progressToken reads the progress token from %j as %j', (params, token) => {
  expect(progressToken(params)).toBe(token)
})

describe('readRequestMeta (https://modelcontextprotocol.io/specification/2026-07-28/basic#meta)', () => {
  const meta = { [PROTOCOL_VERSION]: '2026-07-28', [CLIENT_CAPABILITIES]: {} }
  const request = (params?: JsonObject): Parameters<typeof readRequestMeta>[0] => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    ...(params !== undefined && { params }),
  })
  const read = (change: JsonObject): ReturnType<typeof readRequestMeta> =>
    readRequestMeta(request({ _meta: { ...meta, ...change } }))

  it('reads all members', () => {
    const client = { name: 'c', version: '1' }
    const capabilities = { roots: {} }
    expect(
      read({ [CLIENT_CAPABILITIES]: capabilities, [CLIENT_INFO]: client, [LOG_LEVEL]: 'debug' }),
    ).toEqual({ version: '2026-07-28', capabilities, client, logLevel: 'debug' })
    expect(read({})).toEqual({
      version: '2026-07-28',
      capabilities: {},
      client: undefined,
      logLevel: undefined,
    })
  })

  it.each([
    ['a missing version', { [PROTOCOL_VERSION]: undefined }, 'protocolVersion"] must be a string'],
    ['a numeric version', { [PROTOCOL_VERSION]: 1 }, 'protocolVersion"] must be a string'],
    ['missing capabilities', { [CLIENT_CAPABILITIES]: undefined }, 'clientCapabilities"] must be an object'],
    ['an array of capabilities', { [CLIENT_CAPABILITIES]: [] }, 'clientCapabilities"] must be an object'],
    ['a client without a version', { [CLIENT_INFO]: { name: 'c' } }, 'with a name and a version'],
    ['a client without a name', { [CLIENT_INFO]: { version: '1' } }, 'with a name and a version'],
    ['a client that is a string', { [CLIENT_INFO]: 'c' }, 'with a name and a version'],
    ['an unknown log level', { [LOG_LEVEL]: 'loud' }, 'logLevel"] must be one of debug, info'],
    ['an empty log level', { [LOG_LEVEL]: null }, 'logLevel"] must be one of debug, info'],
  ])('rejects %s', (_what, change, text) => {
    expect(() => read(change)).toThrow(text)
    expect(() => read(change)).toThrow(
      expect.objectContaining({ code: ErrorCode.InvalidParams, reason: 'malformed' }),
    )
  })

  it.each([
    ['a version', { _meta: meta }, true],
    ['a version that is not a string', { _meta: { [PROTOCOL_VERSION]: null } }, true],
    ['no version', { _meta: {} }, false],
    ['metadata that is not an object', { _meta: 'x' }, false],
    ['no metadata', {}, false],
    ['no params', undefined, false],
  ])(
    'rejects every message that does not name a version according to namesVersion: %s',
    (_what, params, named) => {
      expect(namesVersion(request(params))).toBe(named)
      if (!named) expect(() => readRequestMeta(request(params))).toThrow('protocolVersion"] must be a string')
    },
  )
})
