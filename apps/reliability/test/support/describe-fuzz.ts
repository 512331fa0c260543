import { env } from 'node:process'
import { describe, expect, it } from 'vitest'
import { type Fuzzed, fuzzHttp, fuzzParser, fuzzStdio } from './fuzz.ts'
import { note } from './note.ts'

export interface Counts {
  readonly parsed: number
  readonly lines: number
  readonly requests: number
}

const HOUR = 3_600_000
const MAX_HEAP_MIB = 32
const seed = Number(env['JETWAY_SEED'] ?? 20_241_105)

export function describeFuzz({ parsed, lines, requests }: Counts): void {
  describe(`a server that receives corrupted bytes, seed ${seed}`, () => {
    it(`parses each of ${parsed} inputs to a value or a parse error`, { timeout: HOUR }, ({ task }) => {
      const { valid } = fuzzParser(parsed, seed)
      expect(valid).toBeGreaterThan(0)
      expect(valid).toBeLessThan(parsed)
      note(task, `${parsed} inputs of the parser, ${valid} of them valid`)
    })

    it(`survives ${lines} lines on stdio`, { timeout: HOUR }, async ({ task }) => {
      const fuzzed = await fuzzStdio(lines, seed)
      expect(fuzzed.heap).toBeLessThan(MAX_HEAP_MIB)
      note(task, said(fuzzed, 'lines'))
    })

    it(`survives ${requests} requests over HTTP`, { timeout: HOUR }, async ({ task }) => {
      const fuzzed = await fuzzHttp(requests, seed)
      expect(fuzzed.heap).toBeLessThan(MAX_HEAP_MIB)
      note(task, said(fuzzed, 'HTTP requests'))
    })
  })
}

const said = ({ inputs, heap }: Fuzzed, what: string): string =>
  `${inputs} ${what}, heap +${heap.toFixed(1)} MiB`
