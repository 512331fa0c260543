import { describe, expect, it } from 'vitest'
import { CliError, usageError } from '../src/errors.ts'
import { nearest, parseArguments } from '../src/parse.ts'
import { printable, Terminal } from '../src/terminal.ts'
import { unknownName } from '../src/unknown-name.ts'
import { runCli } from './support/run-cli.ts'

interface Given {
  readonly stdin?: boolean
  readonly stderr?: boolean
  readonly yes?: boolean
  readonly json?: boolean
  readonly env?: Readonly<Record<string, string>>
}

function terminalOf({ stdin = true, stderr = true, yes = false, json = false, env = {} }: Given) {
  const noted: string[] = []
  const error = { isTTY: stderr, write: (text: string) => noted.push(text) }
  const streams = { stdin: { isTTY: stdin }, stdout: error, stderr: error, env } as never
  return { terminal: new Terminal(streams, { json, yes }), noted }
}

describe('Terminal', () => {
  it.each<readonly [string, Given, boolean]>([
    ['two terminals', {}, true],
    ['an empty CI', { env: { CI: '' } }, true],
    ['a redirected stdin', { stdin: false }, false],
    ['a redirected stderr', { stderr: false }, false],
    ['--yes', { yes: true }, false],
    ['CI', { env: { CI: 'true' } }, false],
  ])('is interactive only if the user can answer questions: %s', (_, given, expected) => {
    expect(terminalOf(given).terminal.interactive).toBe(expected)
  })

  it.each<readonly [unknown, Given, readonly string[]]>([
    [new CliError('failed', 'a\u0007b', { hint: 'c' }), {}, ['error: a\uFFFDb\n', 'c\n']],
    [new CliError('failed', 'a'), {}, ['error: a\n']],
    [new TypeError('x'), {}, ['error: x\n']],
    ['text', {}, ['error: text\n']],
    [new TypeError('x'), { json: true }, ['{"error":{"code":"failed","message":"x"}}\n']],
    [usageError('x', 'y'), { json: true }, ['{"error":{"code":"usage","message":"x","hint":"y"}}\n']],
    [usageError('x'), { json: true }, ['{"error":{"code":"usage","message":"x"}}\n']],
  ])('prints the error %o', (error, given, lines) => {
    const { terminal, noted } = terminalOf({ ...given, stderr: false })
    terminal.error(error)
    expect(noted).toEqual(lines)
  })

  it('replaces control characters other than line breaks and tabs', () => {
    expect(printable('a\n\tb\r\u001B[0mü😀\u200B')).toBe('a\n\tb\uFFFD\uFFFD[0mü😀\uFFFD')
  })
})

describe('--json', () => {
  const value = { text: 'a\n\u009B31m\u0085\u202E\u200B\u2028\u{E0041}ü😀', name: '\uD800' }

  it('escapes characters that could affect a terminal, without changing the JSON value', () => {
    const { terminal, noted } = terminalOf({ json: true })
    terminal.printJson(value)
    terminal.error(new CliError('failed', value.text))
    const [document = '', error = ''] = noted
    for (const text of noted) expect(text).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u)
    expect(document).toContain('ü😀')
    expect(JSON.parse(document)).toEqual(value)
    expect(JSON.parse(error)).toMatchObject({ error: { message: value.text } })
  })
})

describe('parseArguments', () => {
  const OPTIONS = {
    name: { type: 'string', placeholder: 'NAME', help: '' },
    env: { type: 'string', placeholder: 'X', help: '', multiple: true },
    dev: { type: 'boolean', help: '' },
  } as const

  it.each([
    [['a', '--name', 'b', 'c'], { values: { name: 'b' }, positionals: ['a', 'c'], rest: undefined }],
    [
      ['--env=a', '--env', 'b', '--dev'],
      { values: { env: ['a', 'b'], dev: true }, positionals: [], rest: undefined },
    ],
    [['-y', '-h'], { values: { yes: true, help: true }, positionals: [], rest: undefined }],
    [['a', '--', '--name', '--'], { values: {}, positionals: ['a'], rest: ['--name', '--'] }],
    [['--'], { values: {}, positionals: [], rest: [] }],
  ])('parses %j', async (argv, expected) => {
    const { values, ...others } = await parseArguments(argv, OPTIONS)
    expect({ values: { ...values }, ...others }).toEqual(expected)
  })

  it.each([
    [['--nam', 'a'], 'Unknown option --nam', 'Did you mean --name? Put words that begin with - after --'],
    [['-x'], 'Unknown option -x', undefined],
    [['--constructor'], 'Unknown option --constructor', undefined],
    [['--dev=yes'], '--dev takes no value', undefined],
    [['--name'], '--name needs a value: NAME', undefined],
  ])('rejects %j', async (argv, message, hint) => {
    await expect(parseArguments(argv, OPTIONS)).rejects.toMatchObject({ code: 'usage', message, hint })
  })
})

it.each([
  ['shp', ['shop', 'other'], 'The x shp is unknown', 'Did you mean shop?'],
  ['zzz', ['shop', 'other'], 'The x zzz is unknown', 'Use one of shop, other'],
  ['zzz', ['shop'], 'The x zzz is unknown', 'Use shop'],
  ['zzz', [], 'The x zzz is unknown', 'There are none'],
  ['zzz', ['a\nb\u001B'], 'The x zzz is unknown', 'Use a\uFFFDb\uFFFD'],
])(
  'unknownName(), given %s, suggests a similar name from %j or lists all known names',
  async (name, known, message, hint) => {
    expect(await unknownName('The x', name, known)).toMatchObject({ code: 'usage', message, hint })
  },
)

it('nearest() returns undefined if no name is similar', async () => {
  expect(await nearest('abc', ['xyz'])).toBeUndefined()
})

it('-v prints the version', async () => {
  expect((await runCli(['-v'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

describe('help', () => {
  it.each([['-h'], ['help']])('is printed for %s', async (word) => {
    const { stdout, exitCode } = await runCli([word])
    expect(stdout).toMatch(/^Usage: jetway <command> \[options\]\n\n {2}list {2,}\S/)
    expect(stdout).toContain('\n\njetway <command> --help describes a command.')
    expect(exitCode).toBe(0)
  })

  it("aligns a command's options, placeholders and notes", async () => {
    const { stdout } = await runCli(['uninstall', '-h'])
    expect(stdout).toMatch(
      /^Usage: jetway uninstall \[host\] <target> \[options\]\n\n[A-Z].*\.\n\n {2}--name NAME {9}the server's name/,
    )
    expect(stdout).toMatch(
      /\n {2}-y, --yes {11}ask nothing\n {2}-h, --help {10}print this text\n\nWithout a target, /,
    )
  })
})
