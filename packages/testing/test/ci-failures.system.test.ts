import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

interface Failure {
  readonly title: string
  readonly text?: string
}

interface Report {
  readonly passed: number
  readonly failed: number
  readonly failures: readonly Required<Failure>[]
}

interface Failures {
  readonly summarizeFailures: (failures: readonly Failure[]) => string[]
  readonly extractErrors: (output: string) => string
}

const inCi = (file: string): URL => new URL(`../../../.ci/${file}`, import.meta.url)
interface Seeds {
  /** Returns the seeds to keep from now on, or undefined if they have not changed. */
  readonly withFailed: (
    kept: readonly number[],
    seed: number,
    failures: readonly Failure[],
  ) => number[] | undefined
}

const { withFailed } = (await import(inCi('seeds.mjs').href)) as Seeds
const { summarizeFailures, extractErrors } = (await import(inCi('failures.mjs').href)) as Failures
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/** Runs vitest on these test files, and returns the report. */
function report(files: Readonly<Record<string, string>>): Report {
  const folder = mkdtempSync(join(tmpdir(), 'reported-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const file = join(folder, 'report.json')
  const reporter = fileURLToPath(inCi('reporter.mjs'))
  spawnSync(process.execPath, [vitest, 'run', '--globals', '--root', folder, '--reporter', reporter], {
    cwd: folder,
    env: { ...process.env, JETWAY_REPORT: file },
  })
  return JSON.parse(readFileSync(file, 'utf8')) as Report
}

describe('the failure summary printed by .ci/run', () => {
  it('lists each failed test with its file, message, location and diff, and errors outside tests', () => {
    const { passed, failed, failures } = report({
      'a.test.js': `describe('of a', () => {
        it('is left out if it passes', () => {})
        it('is listed if it fails', () => expect({ a: 1, b: [2] }).toEqual({ a: 1, b: [3] }))
      })`,
      'b.test.js': `throw new Error('the file is broken')`,
      'c.test.js': `it('leaves a rejection', () => void Promise.reject(new Error('not caught')))`,
    })
    expect([passed, failed]).toEqual([2, 1])
    const [test, file, stray] = failures.toSorted((a, b) => a.title.localeCompare(b.title))
    expect(test?.title).toMatch(/a\.test\.js > of a > is listed if it fails$/)
    expect(test?.text).toMatch(/^AssertionError: expected .* to deeply equal/)
    expect(test?.text).toMatch(/at .*a\.test\.js:3:/)
    expect(test?.text).toMatch(/-\s+3,\n.*\+\s+2,/)
    expect([file?.title.endsWith('b.test.js'), file?.text]).toEqual([
      true,
      expect.stringContaining('the file is broken'),
    ])
    expect(stray?.text).toContain('not caught')
  })

  it.each([0, 1, 20, 90, 91, 5_000])('fits into the last 100 lines of the output: %i failures', (count) => {
    const text = `Error: ${'wide '.repeat(200)}\n${'another line\n'.repeat(50)}`
    const lines = summarizeFailures(Array.from({ length: count }, (_, n) => ({ title: `test ${n}`, text })))
    expect(lines.length).toBeLessThan(99)
    expect(Math.max(0, ...lines.map((line) => line.length))).toBeLessThan(300)
    const titles = lines.filter((line) => line.startsWith('✗'))
    const rest = Number(/^… and (\d+) more$/.exec(lines.at(-1) ?? '')?.[1] ?? 0)
    expect(titles.length + rest).toBe(count)
  })

  it('shows more lines per failure if there are fewer failures', () => {
    const lineCount = (count: number): number =>
      summarizeFailures(Array.from({ length: count }, () => ({ title: 'a', text: '1\n2\n3\n4\n5\n6\n7\n8' })))
        .length
    expect([lineCount(1), lineCount(2), lineCount(30)]).toEqual([8, 15, 91])
  })

  it('shows the error lines of other steps, or the end of their output', () => {
    expect(extractErrors('✓ one\n✗ two\n    because\n✓ three\n  not this\n✗ four\n')).toBe(
      '✗ two\n    because\n✗ four',
    )
    expect(extractErrors('1\n2\n3\n4\n5\n\u001b[31m6\u001b[0m\n\n7\n')).toBe('2\n3\n4\n5\n6\n7')
  })
})

describe('withFailed', () => {
  const property = (seed: number): Failure => ({
    title: 'parse.test.ts > agrees with JSON.parse',
    text: `Error: Property failed after 3 tests\n{ seed: ${seed}, path: "2", endOnFailure: true }`,
  })
  it.each([
    ['keeps the seed of a run in which a property failed', [], 7, [property(7)], [7]],
    ['puts the seed before those of earlier runs', [1, 2], 7, [property(7)], [7, 1, 2]],
    ['replaces the oldest of five seeds', [1, 2, 3, 4, 5], 7, [property(7)], [7, 1, 2, 3, 4]],
    [
      'keeps no seed if only other tests failed',
      [1],
      7,
      [{ title: 'x', text: 'seed: 8,' }, { title: 'y' }],
      undefined,
    ],
    ['keeps a seed only once', [7], 7, [property(7)], undefined],
  ])('%s', (_, kept, seed, failures, expected) => {
    expect(withFailed(kept, seed, failures)).toEqual(expected)
  })
})
