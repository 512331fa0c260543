import type { Contender } from './contenders.ts'
import { HttpBench } from './http-bench.ts'
import type { Table, Timing } from './measure.ts'
import { toMarkdown } from './report.ts'
import { TEXT } from './workloads.ts'

/**
 * Far below what is aimed at: it finds what was made slow by mistake, on machines that have other things to do. So it
 * goes by the best rounds, which such things have disturbed least.
 */
const LEAST = 0.6
const CONNECTIONS = 16
/** A machine that is busy elsewhere gets another chance; a server that is slow does not profit from it. */
const ATTEMPTS = 3

/** Holds the text tool against the bare frameworks. Returns the exit code. */
export async function check(
  machine: string,
  contenders: readonly Contender[],
  timing: Timing,
): Promise<0 | 1> {
  const bench = await HttpBench.start(contenders)
  try {
    for (let attempt = 1; ; attempt++) {
      const table = await bench.measure(TEXT, CONNECTIONS, timing)
      const slow = slowIn(table)
      console.log(toMarkdown({ machine, tables: [table], firstAnswers: [], memory: [] }))
      if (slow.length === 0) return 0
      if (attempt === ATTEMPTS) {
        console.log(`Below ${LEAST} of the bare framework: ${slow.join(', ')}`)
        return 1
      }
    }
  } finally {
    await bench.stop()
  }
}

const slowIn = ({ rows }: Table): string[] =>
  rows
    .filter(({ bestRatio }) => bestRatio !== undefined && !(bestRatio >= LEAST))
    .map(({ title, bestRatio }) => `${title} (${bestRatio?.toFixed(2)} in its best round)`)
