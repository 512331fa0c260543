import { describe, expect, it } from 'vitest'
import { failureOf, isSilent } from '../../src/start/failure.ts'
import type { Trial } from '../../src/start/trial.ts'

const answer = { jsonrpc: '2.0', id: 1, result: {} } as const
const trial = (more: Partial<Trial>): Trial => ({ strayLines: [], stderr: [], ...more })

describe('failureOf', () => {
  it.each<[Partial<Trial>, string | undefined]>([
    [{ answer }, undefined],
    [{ answer, stderr: ['Error: of no interest'] }, undefined],
    [{ notStarted: 'ENOENT' }, 'There is no such program or folder'],
    [{ notStarted: 'EACCES' }, 'It cannot be started: EACCES'],
    [{}, 'It does not answer within 10 s'],
    [{ ended: 'with code 1' }, 'It ended with code 1 before it answered'],
    [{ answer, ended: 'by SIGSEGV' }, 'It ended by SIGSEGV after its first answer'],
    [{ stderr: ['1', '2', '3', '4', '5', '6'] }, 'It does not answer within 10 s\n2\n3\n4\n5\n6'],
    [{ stderr: ['x'.repeat(301)] }, `It does not answer within 10 s\n${'x'.repeat(300)}`],
    [
      {
        ended: 'with code 1',
        stderr: [
          'Error: the first',
          'file.js:1',
          '    ^',
          '',
          'TypeError: the last',
          '    at f (file.js:1:1)',
          '  hint 1',
          'hint 2',
          'hint 3',
          'hint 4',
          'hint 5',
          'Node.js v20.0.0',
        ],
      },
      'It ended with code 1 before it answered\nTypeError: the last\n  hint 1\nhint 2\nhint 3\nhint 4',
    ],
    [
      { stderr: ['Error: the cause {', "  name: 'TransformError',", '  code: 1', '}'] },
      "It does not answer within 10 s\nError: the cause {\n  name: 'TransformError',\n  code: 1",
    ],
    [
      { stderr: ['Traceback (most recent call last):', '  File "a.py", line 1', 'error: no', '})'] },
      'It does not answer within 10 s\nerror: no',
    ],
  ])('describes %o', (of, failure) => {
    expect(failureOf(trial(of))).toBe(failure)
  })
})

it.each<[Partial<Trial>, boolean]>([
  [{}, true],
  [{ notStarted: 'ENOENT' }, false],
  [{ answer }, false],
  [{ ended: 'with code 0' }, false],
])('isSilent given %o returns %s', (of, silent) => {
  expect(isSilent(trial(of))).toBe(silent)
})
