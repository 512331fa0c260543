/**
 * Runs the public conformance suite against the built server on each web framework. Warnings count as failures, as
 * does a scenario that proves nothing; what is allowed to fail stands in expected-failures.txt.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runSuite } from './suite.mjs'

const REVISION = '2025-11-25'
const ADAPTERS = ['fastify', 'hono']

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const expected = readExpected()
const total = { passed: 0, expected: 0, wrong: 0 }

function readExpected() {
  const text = readFileSync(new URL('expected-failures.txt', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name, reason] = /^([\w-]+): (.+)$/.exec(line) ?? []
      if (name === undefined) throw new Error(`expected-failures.txt: no scenario and reason in "${line}"`)
      return [name, reason]
    }),
  )
}

async function serve(adapter) {
  const child = spawn(execPath, [main, '--http', '--adapter', adapter, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const heard = []
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('{"ready"')) {
      heard.push(line)
      continue
    }
    // Leaving the loop pauses the stream.
    child.stderr.resume()
    return { url: JSON.parse(line).url, child }
  }
  throw new Error(`The server ended before it was ready:\n${heard.join('\n')}`)
}

/** Prints how a scenario went and counts it. */
function judge(adapter, { name, proven, complaints }) {
  const failed = complaints.length > 0 || proven === 0
  const reason = expected.get(name)
  const mark = failed ? (reason === undefined ? '✗' : '~') : reason === undefined ? '✓' : '✗'
  total[mark === '✓' ? 'passed' : mark === '~' ? 'expected' : 'wrong'] += 1
  console.log(`${mark} ${adapter} ${name}${mark === '~' ? ` (expected: ${reason})` : ''}`)
  if (mark !== '✗') return
  if (!failed) console.log('    passes, but is expected to fail: remove it from expected-failures.txt')
  if (failed && complaints.length === 0) console.log('    proves nothing: no check of it says yes')
  for (const complaint of complaints) console.log(`    ${complaint}`)
}

async function visit(adapter) {
  const { url, child } = await serve(adapter)
  const ended = once(child, 'exit')
  try {
    const scenarios = await runSuite(url, REVISION)
    for (const scenario of scenarios) judge(adapter, scenario)
    const names = new Set(scenarios.map(({ name }) => name))
    for (const name of expected.keys()) {
      if (names.has(name)) continue
      total.wrong += 1
      console.log(`✗ ${adapter} ${name}\n    is expected to fail, but the suite has no such scenario`)
    }
  } finally {
    child.kill()
    await ended
  }
}

for (const adapter of ADAPTERS) await visit(adapter)
console.log(
  `conformance ${REVISION}: ${total.passed} passed, ${total.expected} failed as expected, ${total.wrong} wrong`,
)
process.exitCode = total.wrong === 0 && total.passed > 0 ? 0 : 1
