/**
 * A vitest reporter for `.ci/run`. It writes the number of passed and failed tests, and the failures, to
 * JETWAY_REPORT.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { root } from './pnpm.mjs'

const MESSAGE_LINES = 3

export default class Reporter {
  onTestRunEnd(modules, unhandledErrors) {
    const report = { passed: 0, failed: 0, failures: [] }
    for (const module of modules) readModule(module, report)
    for (const error of unhandledErrors)
      report.failures.push({ title: 'outside of the tests', text: describe(error) })
    writeFileSync(process.env['JETWAY_REPORT'], JSON.stringify(report))
  }
}

/** Counts every test that has not passed as failed, including skipped tests. */
function readModule(module, report) {
  const file = relative(root, module.moduleId)
  const errorsOutsideTests = [module, ...module.children.allSuites()].flatMap((part) => part.errors())
  for (const error of errorsOutsideTests) report.failures.push({ title: file, text: describe(error) })
  for (const test of module.children.allTests()) {
    const { state, errors = [] } = test.result()
    report[state === 'passed' ? 'passed' : 'failed'] += 1
    if (state !== 'passed') {
      const text = state === 'failed' ? errors.map(describe).join('\n') : state
      report.failures.push({ title: `${file} > ${test.fullName}`, text })
    }
  }
}

/**
 * Returns the first lines of the message, the stack frame in this repository, and the differing lines of the
 * diff.
 */
function describe({ name = 'Error', message = '', stack = '', diff = '' }) {
  const head = `${name}: ${message}`.split('\n').slice(0, MESSAGE_LINES)
  const frame = stack.split('\n').find((line) => /^\s+at /.test(line) && !line.includes('node_modules'))
  const location = frame?.replaceAll(/(file:\/\/[^\s)]+?)(?=:\d)/g, (url) => fileURLToPath(url))
  const difference = stripVTControlCharacters(diff)
    .split('\n')
    .filter((line) => /^[-+] {2,}/.test(line))
  return [
    ...head,
    ...(location === undefined ? [] : [location.trim().replaceAll(root, '')]),
    ...difference,
  ].join('\n')
}
