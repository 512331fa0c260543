/** Broken set-ups of local servers, each with the finding that names its fault. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { diagnose } from './support/doctor.ts'

const WEATHER = fileURLToPath(new URL('../../../../apps/weather/src/main.ts', import.meta.url))
const NODE = [process.execPath, '--conditions=jetway:source', '--import', import.meta.resolve('tsx')]

/** A server that answers `initialize` and ends with its input. `before` runs first. */
const server = (before: string): string => `${before}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'a', version: '1' } }
    : {}
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`

describe('the doctor names the fault of a server that', () => {
  it.each([
    ['prints to stdout', 'console.log("Loading the index")', 'stdout', 'fault', /Loading the index/],
    [
      'ends at once',
      'console.error("No API key"); process.exit(3)',
      'start',
      'fault',
      /code 3[^]*No API key/,
    ],
    [
      'is slow',
      'const until = Date.now() + 5500; while (Date.now() < until);',
      'first-answer',
      'warning',
      /after \d+\.\d s/,
    ],
    ['does not end', 'setInterval(() => {}, 1000)', 'shutdown', 'warning', /needed SIGTERM/],
    [
      'must be killed',
      'setInterval(() => {}, 1000); process.on("SIGTERM", () => {})',
      'shutdown',
      'fault',
      /needed SIGKILL/,
    ],
    [
      'leaves a process',
      'require("node:child_process").spawn("sleep", ["60"], { stdio: "ignore" }).unref()',
      'shutdown',
      'fault',
      /left sleep \(pid \d+\)/,
    ],
  ])('%s', async (_, code, check, verdict, evidence) => {
    const { findings, exitCode } = await diagnose({ 'server.cjs': server(code) }, (home) => [
      '--',
      process.execPath,
      home.path('server.cjs'),
    ])
    expect(findings).toContainEqual(
      expect.objectContaining({
        check,
        verdict,
        evidence: expect.stringMatching(evidence),
        advice: expect.stringMatching(/./),
      }),
    )
    expect(exitCode).toBe(verdict === 'fault' ? 1 : 0)
  })
})

it('finds no fault in a healthy server', async () => {
  const { findings, exitCode } = await diagnose({}, () => ['--', ...NODE, WEATHER, '--stdio'])
  expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['command', 'start', 'first-answer', 'stdout', 'shutdown']),
  )
  expect(exitCode).toBe(0)
})
