import { fileURLToPath } from 'node:url'
import { startNode } from '@jetway-apps/test-support/processes'
import { expect, it, onTestFinished } from 'vitest'

/** The scripts of `.ci/run`. They start the built programs. */
it.for(['run', 'client'])(
  'Jetway passes the public conformance suite: %s',
  { timeout: 600_000 },
  async (script, { task }) => {
    const suite = startNode([fileURLToPath(new URL(`../conformance/${script}.mjs`, import.meta.url))])
    onTestFinished(() => void suite.process.kill('SIGKILL'))
    const code = await suite.exited
    const lines = suite.output.stdout.trim().split('\n')
    expect(code, [...lines, suite.output.stderr].join('\n')).toBe(0)
    Object.assign(task.meta, { figure: lines.at(-1) })
  },
)
