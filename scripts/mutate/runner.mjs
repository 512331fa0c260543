/**
 * A vitest process that stays loaded between runs, so that each run starts much faster. `warm-tests.mjs`
 * starts it.
 */
import process from 'node:process'
import { createVitest } from 'vitest/node'

let failure = ''
/** Records why a run failed. If a run ended at its first failure, some files may have no results. */
const reporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed') failure ||= test.module.moduleId
  },
  onTestRunEnd(files, errors, reason) {
    if (reason === 'passed' && errors.length === 0) return
    failure ||= files.find((file) => file.state() === 'failed')?.moduleId ?? 'an unhandled error'
  },
}
const vitest = await createVitest('test', { watch: false, bail: 1, reporters: [reporter] })
await vitest.standalone()

process.on('message', (message) => void run(message))
process.on('disconnect', () => process.exit())
process.send('ready')

/** Runs the test files in `files`. `changed` are the sources that may differ from those in earlier runs. */
async function run({ files, changed }) {
  failure = ''
  for (const path of changed) vitest.invalidateFile(path)
  await vitest.runTestSpecifications(files.flatMap((path) => vitest.getModuleSpecifications(path)))
  process.send(failure)
}
