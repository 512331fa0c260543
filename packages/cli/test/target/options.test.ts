import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Arguments } from '../../src/command.ts'
import type { TargetOptions } from '../../src/target/options.ts'
import { findTarget } from '../../src/target/target.ts'
import { Terminal } from '../../src/terminal.ts'
import { runCli } from '../support/run-cli.ts'

const URL_TARGET = 'https://h/mcp'
const folder = mkdtempSync(join(tmpdir(), 'jetway-cli-'))
for (const name of ['a.py', 'a.MJS', 'a.jsonc', 'a.txt']) writeFileSync(join(folder, name), '')
writeFileSync(join(folder, 'two.json'), '{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}')
writeFileSync(join(folder, 'none.json'), '{"mcpServers":{}}')
afterAll(() => rmSync(folder, { recursive: true }))
const inFolder = (name: string): string => join(folder, name)

function find(args: Partial<Arguments<TargetOptions>>, env: Readonly<Record<string, string>> = {}) {
  const streams = { stdin: {}, stdout: {}, stderr: {}, env } as never
  return findTarget(
    { values: {}, positionals: [], rest: undefined, ...args },
    new Terminal(streams, { json: false, yes: false }),
  )
}

const server = (config: object) => ({ kind: 'server', config })
const all = { inheritEnv: 'all' }

describe('findTarget', () => {
  it.each<readonly [string, Partial<Arguments<TargetOptions>>, object, rest: readonly string[]]>([
    ['a URL', { positionals: [URL_TARGET, 'a', 'b'] }, server({ url: URL_TARGET }), ['a', 'b']],
    ['a URL in capitals', { positionals: ['HTTPS://h'] }, server({ url: 'HTTPS://h' }), []],
    [
      'a command',
      { rest: ['x', 'y'], positionals: ['a'] },
      server({ command: 'x', args: ['y'], ...all }),
      ['a'],
    ],
    [
      'a Python script',
      { positionals: [inFolder('a.py')] },
      server({ command: 'python3', args: [inFolder('a.py')], ...all }),
      [],
    ],
    [
      'a file',
      { positionals: [inFolder('a.MJS'), 'x'], values: { export: 'b' } },
      { kind: 'file', path: inFolder('a.MJS'), exportName: 'b' },
      ['x'],
    ],
    [
      'a configuration',
      { values: { config: inFolder('two.json'), server: 'b' } },
      server({ command: 'y' }),
      [],
    ],
    [
      'headers',
      { positionals: [URL_TARGET], values: { header: ['X-A: b', 'X-C:d: e'] } },
      server({ url: URL_TARGET, headers: { 'x-a': 'b', 'x-c': 'd: e' } }),
      [],
    ],
    [
      'a token',
      { positionals: [URL_TARGET], values: { header: ['Authorization: x'], 'bearer-env': 'TOKEN' } },
      server({ url: URL_TARGET, headers: { authorization: 'Bearer abc' } }),
      [],
    ],
  ])('returns the target for %s', async (_, args, target, positionals) => {
    const found = await find(args, { TOKEN: 'abc' })
    expect(found).toMatchObject({ target })
    expect(found.positionals).toEqual(positionals)
  })

  it.each<readonly [Partial<Arguments<TargetOptions>>, message: string, hint: string]>([
    [{ positionals: [inFolder('a.jsonc')] }, 'a.jsonc is not a server', '--config'],
    [{ positionals: [inFolder('a.txt')] }, 'a.txt is not a TypeScript or JavaScript file', 'after --'],
    [{ positionals: ['c:'] }, 'The file c: does not exist', 'Name a file'],
    [
      { positionals: [URL_TARGET], values: { 'bearer-env': 'EMPTY' } },
      'EMPTY is not set',
      '--bearer-env names',
    ],
    [{ positionals: [URL_TARGET], values: { header: ['X A: b'] } }, 'A --header must have the form', ''],
    [{ values: { config: inFolder('two.json') } }, 'two.json has 2 servers', 'Name one: --server a or b'],
    [{ values: { config: inFolder('none.json') } }, 'none.json has 0 servers', 'Name one'],
    [
      { values: { config: inFolder('two.json'), server: 'zzz' } },
      'The server zzz is unknown',
      'Use one of a, b',
    ],
    [{ values: { config: inFolder('two.json') }, rest: [] }, 'Set either --config or a command', ''],
  ])('rejects %j', async (args, message, hint) => {
    await expect(find(args, { EMPTY: '' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
      ...(hint !== '' && { hint: expect.stringContaining(hint) }),
    })
  })

  it('rejects if the configuration file does not exist', async () => {
    await expect(find({ values: { config: inFolder('gone.json') } })).rejects.toMatchObject({
      code: 'failed',
    })
  })
})

it.each([
  ['0', false],
  ['-1', false],
  ['x', false],
  ['0.001', true],
  ['86400', true],
  ['86401', false],
])('--timeout must be greater than 0 and at most 86400: %s', async (seconds, isRight) => {
  const { stderr } = await runCli(['list', 'none.ts', '--timeout', seconds], { env: {} })
  expect(stderr.includes(`--timeout must be a number of seconds from 0 to 86400, not ${seconds}`)).toBe(
    !isRight,
  )
  expect(stderr.includes('The file none.ts does not exist')).toBe(isRight)
})
