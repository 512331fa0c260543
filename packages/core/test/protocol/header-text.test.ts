import { describe, expect, it } from 'vitest'
import { decodeHeaderText, encodeHeaderText, trimHeader } from '../../src/protocol/header-text.ts'

describe('decodeHeaderText (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding)', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['', ''],
    ['=?base64?SGVsbG8sIOS4lueVjA==?=', 'Hello, 世界'],
    ['=?base64?IHBhZGRlZCA=?=', ' padded '],
    ['=?base64?bGluZTEKbGluZTI=?=', 'line1\nline2'],
    ['=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=', '=?base64?literal?='],
    ['=?base64??=', ''],
    ['=?base64?77u/YQ==?=', '\uFEFFa'],
  ])('decodes %j', (header, text) => {
    expect(decodeHeaderText(header)).toBe(text)
  })

  it.each([
    '=?BASE64?SGVsbG8=?=',
    '=?Base64?SGVsbG8=?=',
    '=?base64?SGVsbG8=',
    'SGVsbG8=?=',
    '=?base64?=',
    'SGVsbG8=',
    ' =?base64?SGVsbG8=?=',
  ])('returns text unchanged if it only resembles encoded text: %j', (header) => {
    expect(decodeHeaderText(header)).toBe(header)
  })

  it.each([
    ['missing padding', '=?base64?SGVsbG8?='],
    ['too much padding', '=?base64?SGVsbG8==?='],
    ['characters outside the alphabet', '=?base64?SGVs!!!bG8=?='],
    ['whitespace', '=?base64?SGVs bG8=?='],
    ['the alphabet for URLs', '=?base64?_-8=?='],
    ['bits that no encoder sets', '=?base64?SGVsbG9=?='],
    ['bytes that are not UTF-8', '=?base64?/w==?='],
    ['a character beyond ASCII', 'é'],
    ['a control character', 'a\u0000b'],
    ['a line break', 'a\nb'],
  ])('rejects %s', (_what, header) => {
    expect(decodeHeaderText(header)).toBeUndefined()
  })
})

describe('trimHeader', () => {
  it.each([
    ['  a\t', 'a'],
    ['a b', 'a b'],
    [' \t ', ''],
    ['\u00A0a', '\u00A0a'],
  ])('trims %j to %j', (value, trimmed) => {
    expect(trimHeader(value)).toBe(trimmed)
  })
})

describe('encodeHeaderText', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['us west 1', 'us west 1'],
    ['=?base64?', '=?base64?'],
    ['a?=', 'a?='],
    [' a', '=?base64?IGE=?='],
    ['a ', '=?base64?YSA=?='],
    ['a\tb', '=?base64?YQli?='],
    ['é', '=?base64?w6k=?='],
    ['=?base64??=', '=?base64?PT9iYXNlNjQ/Pz0=?='],
  ])('encodes %j as %j, which decodes to the same text', (text, header) => {
    expect(encodeHeaderText(text)).toBe(header)
    expect(decodeHeaderText(header)).toBe(text)
  })
})
