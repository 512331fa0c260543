import { readFileSync } from 'node:fs'
import { callTool, FULL } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { type LateReader, onHttpSse, onStdio, onStreamableHttp } from './support/big/late-readers.ts'
import { note } from './support/note.ts'

const MB = 1_000_000
/** The sizes of results, in MB. The limit is 8 MiB. */
const SIZES = FULL ? [5, 8] : [8]

interface Many {
  readonly name: string
  readonly answers: number
  readonly bodies: (bytes: number) => readonly string[]
}

const call = (id: number, bytes: number): object => callTool('large', { bytes }, { id })
const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id + 1)

const BATCH: Many = {
  name: 'a batch of 100 calls',
  answers: 100,
  bodies: (bytes) => [JSON.stringify(ids(100).map((id) => call(id, bytes)))],
}
const CALLS: Many = {
  name: '200 calls',
  answers: 200,
  bodies: (bytes) => ids(200).map((id) => JSON.stringify(call(id, bytes))),
}

interface Way {
  readonly name: string
  readonly connect: () => Promise<LateReader>
  /** The maximum memory of the process, in MiB. */
  readonly mostMiB: number
}

/** Allows for the replies of one caller that have not been read: 128 MiB, both as text and as bytes. */
const BASE_MIB = 768
/** Allows for the responses on streams that clients can resume: 256 MiB, and more before garbage collection. */
const KEPT_MIB = 1_024

const WAYS: readonly Way[] = [
  ...['Fastify', 'toFetch'].flatMap((host) =>
    (['json', 'sse'] as const).map((response) => ({
      name: `Streamable HTTP on ${host}, answers as ${response}`,
      connect: () => onStreamableHttp(host, response),
      mostMiB: BASE_MIB + (response === 'sse' ? KEPT_MIB : 0),
    })),
  ),
  { name: 'HTTP+SSE on Fastify', connect: () => onHttpSse('Fastify'), mostMiB: BASE_MIB },
  { name: 'stdio', connect: onStdio, mostMiB: BASE_MIB },
]

describe.each(WAYS)('over $name, a client that reads late', ({ name, connect, mostMiB }) => {
  describe.each([BATCH, CALLS])('after sending $name', (many) => {
    it.for(SIZES)(
      'receives one response per call, with results of %i MB',
      { timeout: 400_000 },
      async (size, { task }) => {
        const reader = await connect()
        const answers = await reader.send(many.bodies(size * MB), many.answers)
        expect(answers.twice).toEqual([])
        expect(answers.ids).toEqual(ids(many.answers))
        const peak = peakMiB(reader.pid)
        note(task, `${name}, ${many.name}, ${size} MB: ${answers.results} results, ${Math.round(peak)} MiB`)
        expect(peak).toBeLessThanOrEqual(mostMiB)
      },
    )
  })
})

/** Returns the peak memory of a process. */
function peakMiB(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
