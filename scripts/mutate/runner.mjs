/**
 * A vitest that stays loaded between runs, so that a run starts in a fraction of the time. `warm-tests.mjs`
 * starts it.
 */
import process from 'node:process'
import { createVitest } from 'vitest/node'

let failure = ''
/** Keeps why a run failed. A run that ended at its first failure may not have the results of all files. */
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

/** `files` are test files, and `changed` the sources that may differ from those of earlier runs. */
async function run({ files, changed }) {
  failure = ''
  for (const path of changed) vitest.invalidateFile(path)
  await vitest.runTestSpecifications(files.flatMap((path) => vitest.getModuleSpecifications(path)))
  process.send(failure)
}
