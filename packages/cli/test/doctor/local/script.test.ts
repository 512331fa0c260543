import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { checkScript, nodeRunOf, scriptOf } from '../../../src/doctor/local/script.ts'
import { packageOf } from '../../../src/server-file/package.ts'
import { folderWith } from '../support/programs.ts'

describe('scriptOf', () => {
  it.each<readonly [string, readonly string[], string | undefined]>([
    ['node', ['a.js', 'b.js'], 'a.js'],
    ['/opt/node', ['a', '-r'], 'a'],
    ['node.exe', ['a'], 'a'],
    ['nodejs', ['-r', 'x.js', 'a.js'], 'a.js'],
    ['node', ['--import', 'x.js', '--inspect', 'a.js'], 'a.js'],
    ['node', ['--experimental-loader', 'x.js', 'a.js'], 'a.js'],
    ['node', ['-C', 'x', '--env-file', '.env', 'a.js'], 'a.js'],
    ['node', ['--import=x.js', 'a.js'], 'a.js'],
    ['node', ['-e', 'a.js'], undefined],
    ['node', ['--print', 'a.js'], undefined],
    ['node', ['--inspect'], undefined],
    ['node', [], undefined],
    ['python3', ['-u', 'a.py', 'b.py'], 'a.py'],
    ['python3', ['-m', 'server'], undefined],
    ['tsx', ['--flag.js', 'watch', 'a.mts'], 'a.mts'],
    ['my-node', ['a'], undefined],
  ])('given the command %s with the arguments %j, returns the script %j', (command, args, script) => {
    expect(scriptOf({ command, args })).toBe(script)
  })
})

const MISSING = { verdict: 'fault', evidence: 'There is no file' }
const RELATIVE = 'is relative to the folder of the app, which is often /'

describe('checkScript', () => {
  const FILES = {
    'server.js': '',
    'built/package.json': '{"scripts":{"build":"tsc"}}',
    'built/src/a.js': '',
    'plain/package.json': '{"scripts":{"test":"vitest"}}',
    'bare/package.json': '{}',
    '.nvm/server.js': '',
  }

  it.each<readonly [string, startedBy: 'app' | 'terminal' | 'user', cwd: string | undefined, object]>([
    ['~/server.js', 'app', undefined, { verdict: 'ok', evidence: '~/server.js' }],
    ['$HOME/server.js', 'app', undefined, { verdict: 'fault', evidence: '$HOME/server.js is not expanded' }],
    ['~/.nvm/server.js', 'app', undefined, { verdict: 'warning', evidence: '~/.nvm/server.js belongs to' }],
    ['server.js', 'app', '~', { verdict: 'ok', evidence: '~/server.js' }],
    ['none.js', 'app', '~', { ...MISSING, advice: 'Correct the path in "args"' }],
    ['server.js', 'terminal', undefined, { verdict: 'ok', evidence: '~/server.js' }],
    ['server.js', 'user', undefined, { verdict: 'warning', evidence: `server.js ${RELATIVE}` }],
    ['server.js', 'app', undefined, { verdict: 'fault', evidence: `server.js ${RELATIVE}` }],
    ['none.js', 'user', undefined, MISSING],
    [
      'package.json',
      'app',
      undefined,
      { verdict: 'fault', advice: `Write ${process.cwd()}/package.json in` },
    ],
    ['none.js', 'app', undefined, { verdict: 'fault', advice: 'Write the absolute path in "args"' }],
    ['~/sever.js', 'app', undefined, { ...MISSING, advice: 'Did you mean ~/server.js?' }],
    ['~/built/dist/a.js', 'app', undefined, { ...MISSING, advice: 'Run npm run build in ~/built, or' }],
    ['~/built/src/b.js', 'app', undefined, { ...MISSING, advice: 'Did you mean ~/built/src/a.js?' }],
    ['~/plain/dist/a.js', 'app', undefined, { ...MISSING, advice: 'Correct the path in "args"' }],
    ['~/bare/dist/a.js', 'app', undefined, { ...MISSING, advice: 'Correct the path in "args"' }],
  ])(
    'given the script %s, started by %s in the folder %j, returns %j',
    async (script, startedBy, cwd, expected) => {
      const { path, shown } = folderWith(FILES)
      const args = [path(script)]
      const program = { command: 'node', args, env: {}, ...(cwd !== undefined && { cwd: path(cwd) }) }
      const findings = await checkScript(
        { kind: 'program', name: 'shop', program, startedBy },
        { command: 'node', args, env: {}, cwd: path('~') },
      )
      const partly = Object.entries(expected).map(([name, text]) => [
        name,
        expect.stringContaining(text as string),
      ])
      expect(shown(findings)).toEqual([
        expect.objectContaining({ check: 'script', ...(Object.fromEntries(partly) as object) }),
      ])
    },
  )

  it('returns no findings for a program without a script', async () => {
    const program = { command: 'shop', args: [], env: {} }
    const start = { ...program, cwd: '/' }
    expect(await checkScript({ kind: 'program', name: 'shop', program, startedBy: 'app' }, start)).toEqual([])
  })
})

describe('nodeRunOf', () => {
  const FILES = { 'bin/node': '', 'bin/shop': '#!/usr/bin/env node\n', 'bin/other': '#!/usr/bin/env sh\n' }

  it.each<readonly [string, string, readonly string[], object | undefined]>([
    ['a script', '~/bin/node', ['a.js'], { node: '~/bin/node', script: '/cwd/a.js', loader: false }],
    [
      'a script, run by node from PATH',
      'node',
      ['/a.js'],
      { node: '~/bin/node', script: '/a.js', loader: false },
    ],
    [
      'a script in the current folder',
      './node',
      ['a.js'],
      { node: '/cwd/node', script: '/cwd/a.js', loader: false },
    ],
    ['no script', 'node', ['-e', '0'], undefined],
    ['a program', '~/bin/shop', ['x'], { node: '~/bin/node', script: '~/bin/shop', loader: false }],
    ['a program in PATH', 'shop', [], { node: '~/bin/node', script: '~/bin/shop', loader: false }],
    ['a program for another interpreter', '~/bin/other', ['a.js'], undefined],
    ['a missing program', 'none', ['a.js'], undefined],
    ...['-r', '--require', '--import', '--import=x', '--loader', '--experimental-loader=x'].map(
      (option) =>
        [
          `a script with ${option}`,
          'node',
          option.includes('=') ? [option, '/a.ts'] : [option, 'x', '/a.ts'],
          { node: '~/bin/node', script: '/a.ts', loader: true },
        ] as const,
    ),
    [
      'a script with --important',
      'node',
      ['--important', '/a.ts'],
      { node: '~/bin/node', script: '/a.ts', loader: false },
    ],
  ])('recognizes %s: %s %j', async (_, command, args, expected) => {
    const { path } = folderWith(FILES)
    const context = { env: { PATH: path('~/bin') }, cwd: '/cwd' }
    const run = nodeRunOf({ command: path(command), args, ...context })
    const parsed = (): object => JSON.parse(path(JSON.stringify(expected))) as object
    expect(run).toEqual(expected === undefined ? undefined : { ...parsed(), ...context })
  })

  it('returns undefined if PATH has no node', async () => {
    const { path } = folderWith({ 'bin/shop': FILES['bin/shop'] })
    expect(nodeRunOf({ command: path('~/bin/shop'), args: [], env: {}, cwd: '/' })).toBeUndefined()
  })
})

it.each([
  ['the nearest folder', '~/a/b/c.js', { folder: '~/a', content: { name: 'a' } }],
  ['no folder if package.json is not an object', '~/list/c.js', undefined],
  [
    'the nearest folder whose package.json parses',
    '~/a/broken/c.js',
    { folder: '~/a', content: { name: 'a' } },
  ],
])('packageOf() returns the package of %s', async (_, file, expected) => {
  const { path } = folderWith({
    'a/package.json': '{"name":"a"}',
    'a/broken/package.json': '{',
    'list/package.json': '[]',
  })
  expect(packageOf(path(file))).toEqual(
    expected === undefined ? undefined : JSON.parse(path(JSON.stringify(expected))),
  )
})
