import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './contenders.ts'
import { HttpBench, titleOf } from './http-bench.ts'
import { type ImportCost, JETWAY, measureImports, OFFICIAL } from './imports.ts'
import { type Row, summarise, type Timing } from './measure.ts'
import { toMarkdown } from './report.ts'
import { TEXT } from './workloads.ts'

/**
 * Far below what is aimed at: it finds what was made slow by mistake, on machines that have other things to do. So it
 * goes by each server's best round, which such things have disturbed least.
 */
const LEAST = 0.6
const CONNECTIONS = 16
/** A machine that is busy elsewhere gets other chances; a server that is slow does not profit from them. */
const ATTEMPTS = 3
const PAUSE_MS = 5_000
const SPAWNS = 7

/** Holds the text tool against the bare frameworks, and imports against the official SDK's. Returns the exit code. */
export async function check(
  machine: string,
  contenders: readonly Contender[],
  timing: Timing,
): Promise<0 | 1> {
  const imports = await measureImports(SPAWNS)
  const heavy = isHeavy(imports)
  if (heavy) console.log('Importing Jetway costs more than importing the official SDK')
  const bench = await HttpBench.start(contenders)
  const best = new Map<string, number>()
  try {
    for (let attempt = 1; ; attempt++) {
      const rows = summarise([await bench.measure(TEXT, CONNECTIONS, timing)])
      const table = { name: TEXT.name, title: titleOf(TEXT, CONNECTIONS), rows }
      console.log(toMarkdown({ machine, tables: [table], imports, firstAnswers: [], memory: [] }))
      const slow = slowest(rows, best)
      if (slow.length === 0) return heavy ? 1 : 0
      console.log(`Below ${LEAST} of the bare framework in the best rounds: ${slow.join(', ')}`)
      if (attempt === ATTEMPTS) return 1
      await sleep(PAUSE_MS)
    }
  } finally {
    await bench.stop()
  }
}

/** Whether a process pays more for Jetway than for the official SDK. It is aimed at a third of it, and less. */
export function isHeavy(imports: readonly ImportCost[]): boolean {
  const cost = (name: string): number => imports.find((one) => one.name === name)?.cpuMs ?? Number.NaN
  return !(cost(JETWAY) < cost(OFFICIAL))
}

/** Those that are too slow, with their ratios, by the best rounds that any attempt has seen. */
export function slowest(rows: readonly Row[], best: Map<string, number>): string[] {
  for (const { name, leastCpuMicros } of rows) {
    best.set(name, Math.min(leastCpuMicros, best.get(name) ?? Number.POSITIVE_INFINITY))
  }
  return rows.flatMap(({ name, title, base }) => {
    if (base === undefined) return []
    const ratio = (best.get(base) ?? Number.NaN) / (best.get(name) ?? Number.NaN)
    return ratio >= LEAST ? [] : [`${title} (${ratio.toFixed(2)})`]
  })
}
