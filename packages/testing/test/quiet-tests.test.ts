import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const config = fileURLToPath(new URL('../../../vitest.config.ts', import.meta.url))

interface Results {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly title: string; readonly failureMessages: string[] }[]
  }[]
}

/** Runs a test file with this repository's configuration. Returns the failures, keyed by title. */
function failuresOf(text: string): { [title: string]: string } {
  const root = mkdtempSync(join(tmpdir(), 'quiet-tests-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'packages/core/test'), { recursive: true })
  writeFileSync(join(root, 'packages/core/test/some.test.ts'), text)
  const args = ['--globals', '--root', root, '--config', config, '--project', 'shared', '--reporter', 'json']
  const { stdout } = spawnSync(process.execPath, [vitest, 'run', ...args], { encoding: 'utf8' })
  const { testResults } = JSON.parse(stdout) as Results
  return Object.fromEntries(
    testResults.flatMap(({ message, assertionResults }) => [
      ...(message === '' ? [] : [['file', message]]),
      ...assertionResults.flatMap(({ title, failureMessages }) =>
        failureMessages.map((failure) => [title, failure]),
      ),
    ]),
  ) as { [title: string]: string }
}

it('the test setup fails every test that prints, and a file whose last hook prints', () => {
  const failures = failuresOf(`
    it('uses console.log', () => console.log('one'))
    it('writes to stdout and stderr', () => {
      process.stdout.write('two')
      process.stderr.write('three')
    })
    it('causes a warning of Node', async () => {
      process.emitWarning('four')
      await new Promise(setImmediate)
    })
    it('prints after its end', () => onTestFinished(() => console.error('five')))
    it('expects what it prints', () => {
      const error = vi.spyOn(console, 'error').mockReturnValue()
      console.error('six')
      error.mockRestore()
    })
    it('prints nothing', () => {})
    afterAll(() => console.error('seven'))
  `)
  expect(failures).toEqual({
    'uses console.log': expect.stringMatching(/Give the server a `logger`.*\none\n/),
    'writes to stdout and stderr': expect.stringMatching(/\ntwo\nthree\n/),
    'causes a warning of Node': expect.stringContaining('Warning: four'),
    'prints after its end': expect.stringContaining('\nfive\n'),
    file: expect.stringMatching(/^A hook after the last test printed .*\nseven$/),
  })
})
