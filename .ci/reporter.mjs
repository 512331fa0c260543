/** A reporter for vitest: writes what `.ci/run` counts and says again to the file that JETWAY_REPORT names. */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { root } from './pnpm.mjs'

const MESSAGE_LINES = 3

export default class Reporter {
  onTestRunEnd(modules, strays) {
    const report = { passed: 0, failed: 0, failures: [] }
    for (const module of modules) readModule(module, report)
    for (const stray of strays) report.failures.push({ title: 'outside of the tests', text: describe(stray) })
    writeFileSync(process.env['JETWAY_REPORT'], JSON.stringify(report))
  }
}

/** Whatever has not passed counts as failed: nothing is skipped. */
function readModule(module, report) {
  const file = relative(root, module.moduleId)
  const beyond = [module, ...module.children.allSuites()].flatMap((part) => part.errors())
  for (const error of beyond) report.failures.push({ title: file, text: describe(error) })
  for (const test of module.children.allTests()) {
    const { state, errors = [] } = test.result()
    report[state === 'passed' ? 'passed' : 'failed'] += 1
    if (state !== 'passed') {
      const text = state === 'failed' ? errors.map(describe).join('\n') : state
      report.failures.push({ title: `${file} > ${test.fullName}`, text })
    }
  }
}

/** The beginning of the message, the place in our own code, and what differs. */
function describe({ name = 'Error', message = '', stack = '', diff = '' }) {
  const said = `${name}: ${message}`.split('\n').slice(0, MESSAGE_LINES)
  const frame = stack.split('\n').find((line) => /^\s+at /.test(line) && !line.includes('node_modules'))
  const place = frame?.replaceAll(/(file:\/\/[^\s)]+?)(?=:\d)/g, (url) => fileURLToPath(url))
  const differs = stripVTControlCharacters(diff)
    .split('\n')
    .filter((line) => /^[-+] {2,}/.test(line))
  return [...said, ...(place === undefined ? [] : [place.trim().replaceAll(root, '')]), ...differs].join('\n')
}
