/**
 * `npm run walk`: counts the files and functions in the packages' sources that one warm request passes through,
 * and the source frames on the stack of its handler. `-- --list stdio` lists the functions of the flows whose
 * name contains `stdio`. `-- --json` is for `walk.test.ts`.
 *
 * It runs in a process without Vitest, because Vitest's module transform adds functions, and because other
 * tests would also be counted.
 */
import { argv, exit } from 'node:process'
import { startCoverage, type Ran } from './coverage.ts'
import { openFlows, type Flow } from './flows.ts'

/** A function counts only if it ran in all samples, so that a timer that happens to fire is not counted. */
const SAMPLES = 3

export interface Walk {
  readonly flow: string
  readonly files: readonly string[]
  /** The functions with their files, such as `core/http/endpoint#accept`. */
  readonly functions: readonly string[]
  readonly frames: number
}

const takeCoverage = await startCoverage()

async function measure({ name, warmUp, run, frames }: Flow): Promise<Walk> {
  for (let id = 1; id <= warmUp; id += 1) await run(id)
  const runs = new Map<string, { ran: Ran; count: number }>()
  await takeCoverage()
  for (let sample = 1; sample <= SAMPLES; sample += 1) {
    await run(warmUp + sample)
    for (const ran of await takeCoverage()) {
      const key = `${ran.file}:${ran.start}:${ran.name}`
      runs.set(key, { ran, count: (runs.get(key)?.count ?? 0) + 1 })
    }
  }
  const each = [...runs.values()].filter(({ count }) => count === SAMPLES).map(({ ran }) => ran)
  return {
    flow: name,
    files: [...new Set(each.map(({ file }) => file))].toSorted(),
    functions: each.map((ran) => `${ran.file}#${ran.name}`).toSorted(),
    frames: frames(),
  }
}

const walks: Walk[] = []
for await (const flow of openFlows()) walks.push(await measure(flow))

if (argv.includes('--json')) console.log(JSON.stringify(walks))
else {
  const listed = argv.includes('--list') ? argv[argv.indexOf('--list') + 1] : undefined
  for (const { flow, files, functions, frames: depth } of walks) {
    console.log(
      `${flow}: ${files.length} files, ${functions.length} functions, ${depth} frames at the handler`,
    )
    if (listed !== undefined && flow.includes(listed)) console.log(functions.join('\n'))
  }
}
exit()
