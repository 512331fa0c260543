import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineFramer, type Malformed } from '../src/line-framer.ts'

const MIB = 1024 * 1024

function frame(chunks: Iterable<Uint8Array | string>, maxLineBytes = 10 * MIB): (string | Malformed)[] {
  const framer = new LineFramer(maxLineBytes)
  const lines: (string | Malformed)[] = []
  const drain = (next: () => string | Malformed | undefined): void => {
    for (let line = next(); line !== undefined; line = next()) lines.push(line)
  }
  for (const chunk of chunks) {
    framer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    drain(() => framer.next())
  }
  drain(() => framer.end())
  return lines
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1)
    // The test copies the bytes, because the stream may reuse its buffer.
    chunks.push(bytes.slice(at, at + size))
    at += size
  }
  return chunks
}

const TOO_LONG: Malformed = { reason: 'The line is longer than 100 bytes' }

const isMalformed = (line: string | Malformed): boolean => typeof line !== 'string'

describe('LineFramer', () => {
  it('accepts LF and CRLF, and ignores blank lines', () => {
    expect(frame(['{"a":1}\n{"a":2}\r\n\n\r\n  \t\n{"a":3}\n'])).toEqual(['{"a":1}', '{"a":2}', '{"a":3}'])
  })

  it('treats a lone CR as part of the line', () => {
    expect(frame(['{"a":\r1}\n'])).toEqual(['{"a":\r1}'])
  })

  it('drops one leading byte order mark, even if it is split across chunks', () => {
    const bytes = Buffer.from('\ufeff{"a":1}\n\ufeff{"a":2}\n')
    expect(frame([bytes])).toEqual(['{"a":1}', '\ufeff{"a":2}'])
    expect(frame(cut(bytes, [1]))).toEqual(['{"a":1}', '\ufeff{"a":2}'])
  })

  it.each([
    ['a second one on a line of its own', '\ufeff\n\ufeff\n', ['\ufeff']],
    ['one that follows a line beyond the limit', `${'x'.repeat(200)}\n\ufeff{}\n`, [TOO_LONG, '\ufeff{}']],
    ['one that precedes a line at the limit', `\ufeff${'x'.repeat(100)}\n`, ['x'.repeat(100)]],
  ])('keeps other byte order marks: %s', (_what, text, lines) => {
    expect(frame([text], 100)).toEqual(lines)
  })

  it.each([
    ['within a line beyond the limit', ['x'.repeat(200), 'y'.repeat(50)], [TOO_LONG]],
    ['after one byte more than the limit', ['x'.repeat(101)], [TOO_LONG]],
    ['after a CR', ['x'.repeat(100), '\r'], ['x'.repeat(100)]],
    ['after white space', [' \t'], []],
    ['after invalid UTF-8', [Buffer.from([0x7b, 0xff])], [{ reason: 'The line is not valid UTF-8' }]],
  ])('handles a stream that ends %s', (_what, chunks, lines) => {
    expect(frame(chunks, 100)).toEqual(lines)
  })

  it('returns long lines whole, regardless of the chunk size', () => {
    const lines = [65_535, 65_536, 65_537, 10, 200_000].map((length) =>
      Array.from({ length }, (_, at) => String.fromCharCode(0x61 + (at % 25))).join(''),
    )
    for (const size of [1_000, 65_536, 70_000, 130_000, 500_000])
      expect(frame(cut(Buffer.from(`${lines.join('\n')}\n`), [size]))).toEqual(lines)
  })

  it('returns the last line even without a final line break', () => {
    expect(frame(['{"a":1}\n{"a"', ':2}'])).toEqual(['{"a":1}', '{"a":2}'])
  })

  it('returns the same lines however the stream is chunked', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text))
    const end = fc.constantFrom('\n', '\r\n', '\n\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat(9), { minLength: 1 }), (lines, sizes) => {
        const bytes = Buffer.from(lines.map(([text, terminator]) => text + terminator).join(''))
        const expected = lines.map(([text]) => text)
        expect(frame(cut(bytes, sizes))).toEqual(expected)
        expect(frame(cut(bytes, [1]))).toEqual(expected)
        expect(frame([bytes])).toEqual(expected)
      }),
    )
  })

  it('decodes characters that are split across chunks', () => {
    const text = '"é漢😀ß"'
    expect(frame(cut(Buffer.from(`${text}\n${text}\n`), [1]))).toEqual([text, text])
    expect(frame(cut(Buffer.from(`${text}\n${text}\n`), [3, 2]))).toEqual([text, text])
  })

  it('rejects only invalid UTF-8, however the bytes are chunked', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const valid = (bytes: Uint8Array): boolean => {
      try {
        decoder.decode(bytes)
        return true
      } catch {
        return false
      }
    }
    const content = fc
      .uint8Array({ minLength: 1, maxLength: 12 })
      .map((bytes) => bytes.map((byte) => (byte <= 0x20 ? 0x61 : byte)))
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 6 }),
        fc.array(fc.nat(5), { minLength: 1 }),
        (contents, sizes) => {
          const bytes = Buffer.concat(contents.flatMap((part) => [Buffer.from('x'), part, Buffer.from('\n')]))
          const expected = contents.map((part) => !valid(part))
          expect(frame(cut(bytes, sizes)).map(isMalformed)).toEqual(expected)
          expect(frame([bytes]).map(isMalformed)).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('applies the limit to each line rather than to all buffered bytes', () => {
    const nearly = 'x'.repeat(99)
    // The chunk ends the first line and contains more than the limit in total.
    expect(frame([nearly.slice(0, 60), `${nearly.slice(60)}\n${nearly}\n${nearly}\n`], 100)).toEqual([
      nearly,
      nearly,
      nearly,
    ])
  })

  it('does not count line breaks towards the limit', () => {
    const full = 'x'.repeat(100)
    for (const end of ['\n', '\r\n']) {
      expect(frame([full + end], 100)).toEqual([full])
      expect(frame(cut(Buffer.from(full + end), [1]), 100)).toEqual([full])
      expect(frame([`x${full}${end}`], 100).map(isMalformed)).toEqual([true])
      expect(frame(cut(Buffer.from(`x${full}${end}`), [7]), 100).map(isMalformed)).toEqual([true])
    }
  })

  it('reports an oversized line once, and continues with the next line', () => {
    const lines = frame([...cut(Buffer.from('x'.repeat(1000)), [64]), 'y\n{"a":1}\n'], 100)
    expect(lines).toEqual([{ reason: 'The line is longer than 100 bytes' }, '{"a":1}'])
  })

  it('buffers no more of an endless line than the limit', () => {
    const framer = new LineFramer(MIB)
    const chunk = new Uint8Array(64 * 1024).fill(0x78)
    const before = process.memoryUsage().arrayBuffers
    let malformed = 0
    for (let i = 0; i < 64 * 16; i++) {
      framer.push(chunk)
      if (framer.next() !== undefined) malformed++
    }
    expect(malformed).toBe(1)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MIB)
  })

  it('reads an 8 MiB line in chunks of 64 bytes in linear time', () => {
    const time = (size: number): number => {
      const bytes = Buffer.alloc(size, 'x')
      bytes[size - 1] = 0x0a
      // CPU time is measured because it excludes other work on the machine.
      const start = process.cpuUsage()
      const framer = new LineFramer(10 * MIB)
      let lines = 0
      for (let at = 0; at < size; at += 64) {
        framer.push(bytes.subarray(at, at + 64))
        if (framer.next() !== undefined) lines++
      }
      expect(lines).toBe(1)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1_000
    }
    time(MIB)
    const small = time(MIB)
    // With quadratic time, the factor would be 64.
    expect(time(8 * MIB)).toBeLessThan(Math.max(small, 5) * 40)
  })
})
