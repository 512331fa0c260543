import { readFileSync, writeFileSync } from 'node:fs'
import { HTTP } from './contenders.ts'
import { check } from './check.ts'
import { describeMachine } from './machine.ts'
import { readOptions, USAGE } from './options.ts'
import { pinLoad } from './processors.ts'
import { mergeMeasured, replaceMeasured, toMarkdown } from './report.ts'
import { runCases } from './run-cases.ts'
import { stopServers } from './server-process.ts'

const PAGE = new URL('../../../docs/reference/benchmarks.md', import.meta.url)

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const machine = describeMachine(pinLoad())
  if (options.short) {
    process.exitCode = await check(
      machine,
      HTTP.filter(({ name }) => !name.startsWith('sdk')),
      options.timing,
    )
    return
  }
  const report = { machine, ...(await runCases(options)) }
  console.log(options.json ? JSON.stringify(report, null, 2) : toMarkdown(report))
  if (!options.write) return
  const update = options.only.length > 0 ? mergeMeasured : replaceMeasured
  writeFileSync(PAGE, update(readFileSync(PAGE, 'utf8'), toMarkdown(report)))
}

try {
  await main()
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${USAGE}` : error)
  process.exitCode = 1
} finally {
  await stopServers()
}
