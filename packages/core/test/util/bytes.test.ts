import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64Url, isBase64, toBase64, toBase64Url, utf8Length } from '../../src/util/bytes.ts'

describe('base64', () => {
  it.each([0, 1, 2, 3, 24_575, 24_576, 24_577, 200_000])(
    'encodes %i bytes so that they can be decoded unchanged',
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7919) % 256)
      const encoded = toBase64(bytes)
      expect(isBase64(encoded)).toBe(true)
      expect(Buffer.from(encoded, 'base64').equals(bytes)).toBe(true)
    },
  )

  it('encodes only the bytes that are inside the given view', () => {
    expect(toBase64(new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4))).toBe('AQID')
  })

  it('decodes base64url, and rejects all other encodings', () => {
    for (const text of ['', 'a', 'tools:x', 'Grüße 🛫']) {
      const bytes = Uint8Array.from(Buffer.from(text))
      expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes)
    }
    // The last string has bits set that an encoder would leave at zero.
    for (const encoded of ['YQ==', 'Y Q', 'Y', 'YR']) expect(fromBase64Url(encoded)).toBeUndefined()
  })
})

it('`utf8Length` matches TextEncoder for any string, including lone surrogates', () => {
  const unit = fc.oneof(
    fc.nat(0xffff),
    fc.constantFrom(0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 6 }), (units) => {
      const text = String.fromCharCode(...units)
      const length = Buffer.byteLength(text)
      expect(utf8Length(text)).toBe(length)
    }),
    { numRuns: 500 },
  )
})
