import { HTTP } from './contenders.ts'
import { check } from './check.ts'
import { describeMachine } from './machine.ts'
import { readOptions, USAGE } from './options.ts'
import { keepResults, redraw } from './page.ts'
import { pinLoad } from './processors.ts'
import { toMarkdown } from './report.ts'
import { runCases } from './run-cases.ts'
import { stopServers } from './server-process.ts'

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.redraw) return redraw()
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
  keepResults(report)
  redraw()
}

try {
  await main()
} catch (error) {
  console.error(error instanceof TypeError ? `${error.message}\n\n${USAGE}` : error)
  process.exitCode = 1
} finally {
  await stopServers()
}
