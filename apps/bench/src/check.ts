import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './contenders.ts'
import { HttpBench, titleOf } from './http-bench.ts'
import { type ImportCost, JETWAY, measureImports, OFFICIAL } from './imports.ts'
import type { Timing } from './measure.ts'
import { toMarkdown } from './report.ts'
import { type Row, summarise } from './summary.ts'
import { TEXT } from './workloads.ts'

/**
 * The required ratio. It is far below the target, so that only large slowdowns fail, because CI machines are
 * busy. It is applied to each server's best round, which other processes have affected least.
 */
const LEAST = 0.6
const CONNECTIONS = 16
/** The maximum number of attempts, for busy machines. More attempts do not make a slow server pass. */
const ATTEMPTS = 3
const PAUSE_MS = 5_000
const SPAWNS = 7

/**
 * Compares the text tool with the bare frameworks, and the cost of imports with that of importing the official
 * SDK. Returns the exit code.
 */
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

/** Returns whether importing Jetway costs more than importing the official SDK. The target is at most a third. */
export function isHeavy(imports: readonly ImportCost[]): boolean {
  const cost = (name: string): number => imports.find((one) => one.name === name)?.cpuMs ?? Number.NaN
  return !(cost(JETWAY) < cost(OFFICIAL))
}

/** Returns the contenders that are too slow, with their best ratio over all attempts. */
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
