import { describe, expect, it } from 'vitest'
import { checkCommand, interpreterOf } from '../../../src/doctor/local/command.ts'
import { folderWith } from '../support/programs.ts'

const FILES = {
  'bin/shop': '#!/bin/sh\n',
  'bin/shop-script': '#!/usr/bin/env shop-runtime\n',
  'bin/shop-shell': '#!/usr/bin/env sh\n',
  'other/bin/shop-runtime': '#!/bin/sh\n',
  '.nvm/bin/node': '#!/bin/sh\n',
  'plain.txt': '#!/bin/sh\n',
}

type StartedBy = 'app' | 'terminal' | 'user'
type Row = readonly [
  StartedBy,
  string,
  PATH: string | undefined,
  verdict: string,
  evidence: string,
  advice: string,
]

const NOT_IN_PATH = 'is not in the PATH of the server (/usr/bin:/bin); in yours it is'
const FOLDER = 'is relative to the folder of the app, which is often /'
const VERSION = 'belongs to one version of a version manager'

describe('checkCommand', () => {
  it.each<Row>([
    ['app', '$HOME/bin/shop', undefined, 'fault', '$HOME/bin/shop is not expanded', 'absolute path'],
    ['app', '%HOME%\\shop', undefined, 'fault', '%HOME%\\shop is not expanded', 'absolute path'],
    ['user', '${HOME}/shop', undefined, 'fault', '${HOME}/shop is not expanded', 'absolute path'],
    ['app', './shop', undefined, 'fault', `./shop ${FOLDER}`, 'absolute path of the command'],
    ['app', 'bin\\shop', undefined, 'fault', `bin\\shop ${FOLDER}`, 'absolute path of the command'],
    ['app', 'shop', undefined, 'fault', `shop ${NOT_IN_PATH} ~/bin/shop`, 'Write "command": "~/bin/shop"'],
    [
      'app',
      'shop-shell',
      undefined,
      'fault',
      `shop-shell ${NOT_IN_PATH} ~/bin/shop-shell`,
      'Write "command": "~/bin/shop-shell"',
    ],
    [
      'app',
      'shop-script',
      undefined,
      'fault',
      `shop-script ${NOT_IN_PATH} ~/bin/shop-script`,
      'Write "command": "~/bin/shop-script" and "env": {"PATH": "~/bin:/usr/bin:/bin"}, since shop-script needs shop-runtime',
    ],
    [
      'app',
      'shop-script',
      '~/other/bin',
      'fault',
      'PATH of the server (~/other/bin)',
      'Write "command": "~/bin/shop-script"',
    ],
    ['app', 'shop', '~/bin', 'warning', 'shop is ~/bin/shop for an app', 'Write "command": "~/bin/shop"'],
    ['app', 'none', undefined, 'fault', 'The program none is in no folder of PATH', 'Install none'],
    ['app', 'shop --port 1', undefined, 'fault', 'There is no program "shop --port 1"', 'in "args"'],
    ['terminal', 'shop', undefined, 'ok', '~/bin/shop', ''],
    ['terminal', 'shop-runtime', '~/other/bin', 'ok', '~/other/bin/shop-runtime', ''],
    ['user', 'shop', undefined, 'ok', '~/bin/shop', ''],
    ['user', 'shop', '~/other/bin', 'ok', '~/bin/shop', ''],
    ['user', 'none', undefined, 'fault', 'The program none is in no folder of PATH', 'Install none'],
    ['app', '~/bin/shop', undefined, 'ok', '~/bin/shop', ''],
    ['app', '~/bin/none', undefined, 'fault', 'There is no file ~/bin/none', 'Correct the path'],
    [
      'app',
      '~/bin/none --port 1',
      undefined,
      'fault',
      'There is no file ~/bin/none --port',
      'Correct the path',
    ],
    [
      'app',
      '~/bin/shop --port 1',
      undefined,
      'fault',
      'There is no program "~/bin/shop --port 1"',
      'Write "command": "~/bin/shop", and each',
    ],
    [
      'app',
      '~/.nvm/v1/node',
      undefined,
      'fault',
      'There is no file ~/.nvm/v1/node',
      'version manager has removed it',
    ],
    ['app', '~/bin', undefined, 'fault', '~/bin is a folder', 'the program in it'],
    ['app', '~/plain.txt', undefined, 'fault', '~/plain.txt is not executable', 'Run chmod +x ~/plain.txt'],
    [
      'app',
      '~/bin/shop-script',
      undefined,
      'fault',
      '~/bin/shop-script is run by shop-runtime, which is not in the PATH of an app (/usr/bin:/bin)',
      'Add "env": {"PATH": "~/bin:/usr/bin:/bin"} to the entry, or name shop-runtime',
    ],
    ['app', '~/bin/shop-script', '~/other/bin', 'ok', '~/bin/shop-script', ''],
    ['app', '~/bin/shop-shell', undefined, 'ok', '~/bin/shop-shell', ''],
    ['terminal', '~/bin/shop-script', undefined, 'ok', '~/bin/shop-script', ''],
    ['app', '~/.nvm/bin/node', undefined, 'warning', `~/.nvm/bin/node ${VERSION}`, 'a program that stays'],
  ])(
    'for a command started by %s, %j, and the PATH %j, returns the verdict %s',
    async (startedBy, command, PATH, verdict, evidence, advice) => {
      const { path, shown } = folderWith(FILES)
      const env = PATH === undefined ? {} : { PATH: path(PATH) }
      const program = { command: path(command), args: [], env }
      const findings = await checkCommand(
        { kind: 'program', name: 'shop', program, startedBy },
        { env: { PATH: path('~/bin') }, progress: () => {} },
      )
      expect(shown(findings)).toEqual([
        {
          check: 'command',
          verdict,
          evidence: expect.stringContaining(evidence),
          ...(advice !== '' && { advice: expect.stringContaining(advice) }),
        },
      ])
    },
  )

  it.each(['terminal', 'user'] as const)(
    'accepts a relative path in a command started by %s',
    async (startedBy) => {
      const program = { command: './shop', args: [], env: {} }
      const subject = { kind: 'program', name: 'shop', program, startedBy } as const
      expect(await checkCommand(subject, { env: {}, progress: () => {} })).toEqual([])
    },
  )
})

it.each([
  ['#!/usr/bin/env node\n', 'node'],
  ['#!/usr/bin/env -S node --import x\n', 'node'],
  ['#!/usr/bin/env node', 'node'],
  ['#!/bin/sh\n', undefined],
  ['// #!/usr/bin/env node\n', undefined],
  ['\n#!/usr/bin/env node\n', undefined],
])('interpreterOf, for a program that begins with %j, returns %j', async (text, interpreter) => {
  const { path } = folderWith({ 'bin/a': text })
  expect(interpreterOf(path('~/bin/a'))).toBe(interpreter)
})

it('interpreterOf returns undefined for a missing program', () => {
  expect(interpreterOf('/no/such/program')).toBeUndefined()
})
