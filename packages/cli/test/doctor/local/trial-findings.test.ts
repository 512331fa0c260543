import { describe, expect, it } from 'vitest'
import { isSlow, trialFindings } from '../../../src/doctor/local/trial-findings.ts'
import type { Trial } from '../../../src/start/trial.ts'

const ANSWERED: Trial = {
  answer: { jsonrpc: '2.0', id: 1, result: {} },
  answeredAfterMs: 1_234,
  strayLines: [],
  stderr: [],
  shutdown: { afterMs: 2_000, left: [] },
}
const SILENT: Trial = { strayLines: [], stderr: [] }
const ENDED: Trial = { ...SILENT, ended: 'with code 3' }

const HEALTHY = [
  { check: 'start', verdict: 'ok', evidence: 'It answers' },
  { check: 'first-answer', verdict: 'ok', evidence: 'The first answer came after 1.2 s' },
  { check: 'stdout', verdict: 'ok', evidence: 'Each line is a message' },
  { check: 'shutdown', verdict: 'ok', evidence: 'It ended 2.0 s after its stdin was closed' },
]

/** Returns the findings of a single check. */
const of = (check: string, trial: Trial, writer?: string): readonly object[] =>
  trialFindings(trial, writer).filter((finding) => finding.check === check)

describe('trialFindings', () => {
  it('finds no faults in a healthy server', () => {
    expect(trialFindings(ANSWERED, undefined)).toEqual(HEALTHY)
  })

  it('skips the other checks if a server cannot be started', () => {
    expect(trialFindings({ ...SILENT, notStarted: 'EACCES' }, undefined)).toEqual([
      {
        check: 'start',
        verdict: 'fault',
        evidence: 'It cannot be started: EACCES',
        advice: 'Run its command in a terminal',
      },
      { check: 'stdout', verdict: 'skipped', evidence: 'It was not started' },
    ])
  })

  it('reports only one finding for a server that does not respond', () => {
    const advice = expect.stringContaining('Answer first')
    expect(trialFindings(SILENT, undefined)).toEqual([
      { check: 'start', verdict: 'skipped', evidence: 'It runs, and does not answer' },
      { check: 'first-answer', verdict: 'fault', evidence: 'It does not answer within 10 s', advice },
      HEALTHY[2],
    ])
  })

  it.each<readonly [string, Trial, object]>([
    [
      'an answer and one tool',
      { ...ANSWERED, tools: 1 },
      { verdict: 'ok', evidence: 'It answers, and has 1 tool' },
    ],
    [
      'an answer and an empty list',
      { ...ANSWERED, tools: 0 },
      { verdict: 'ok', evidence: 'It answers, and has 0 tools' },
    ],
    [
      'an error',
      { ...ANSWERED, answer: { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'x'.repeat(301) } } },
      { verdict: 'ok', evidence: `It answers initialize with error -32603: ${'x'.repeat(300)}…` },
    ],
    [
      'an exit',
      ENDED,
      {
        verdict: 'fault',
        evidence: 'It ended with code 3 before it answered',
        advice: 'Run its command in a terminal',
      },
    ],
    [
      'an exit with an error',
      { ...ENDED, stderr: ['Error: no key'] },
      {
        verdict: 'fault',
        evidence: expect.stringContaining('\nError: no key'),
        advice: expect.stringContaining('stderr'),
      },
    ],
  ])('reports a start with %s', (_, trial, expected) => {
    expect(of('start', trial)).toEqual([{ check: 'start', ...expected }])
  })

  it('warns about a response that takes more than half of the host timeout', () => {
    const late = { ...ANSWERED, answeredAfterMs: 5_001 }
    expect(of('first-answer', late)).toEqual([
      {
        check: 'first-answer',
        verdict: 'warning',
        evidence: 'The first answer came after 5.0 s. Codex gives up after 10 s',
        advice: expect.stringContaining('Answer first'),
      },
    ])
    expect([late, { ...late, answeredAfterMs: 5_000 }, SILENT].map(isSlow)).toEqual([true, false, false])
  })
})

describe('trialFindings for stdout output', () => {
  it.each([
    [['Loading'], undefined, 'This line is no message: Loading'],
    [
      ['Loading'],
      'at main (/a.js:1:2)',
      'This line is no message: Loading\nIt is written at main (/a.js:1:2)',
    ],
    [['a', 'b', 'c'], undefined, 'This line is no message: a\nThere are 2 more'],
    [['y'.repeat(301)], undefined, `This line is no message: ${'y'.repeat(300)}…`],
  ])('quotes the first line of %j', (strayLines, writer, evidence) => {
    expect(of('stdout', { ...ANSWERED, strayLines }, writer)).toEqual([
      { check: 'stdout', verdict: 'fault', evidence, advice: expect.stringContaining('stderr') },
    ])
  })
})

describe('trialFindings for shutdown', () => {
  const late = (signal: string): string =>
    `It did not end within 5 s after its stdin was closed; it needed ${signal}`
  const left = { verdict: 'fault', evidence: 'It has ended, and left sleep (pid 1), sh (pid 2)' }

  it.each([
    [{ signal: 'SIGTERM', left: [] }, [{ verdict: 'warning', evidence: late('SIGTERM') }]],
    [{ signal: 'SIGKILL', left: [] }, [{ verdict: 'fault', evidence: late('SIGKILL') }]],
    [{ left: ['sleep (pid 1)', 'sh (pid 2)'] }, [left]],
    [
      { signal: 'SIGTERM', left: ['sleep (pid 1)', 'sh (pid 2)'] },
      [{ verdict: 'warning', evidence: late('SIGTERM') }, left],
    ],
  ] as const)('reports %j', (shutdown, expected) => {
    const found = of('shutdown', { ...ANSWERED, shutdown: { afterMs: 7_000, ...shutdown } })
    expect(found).toEqual(
      expected.map((finding) => ({ check: 'shutdown', ...finding, advice: expect.any(String) })),
    )
  })
})
