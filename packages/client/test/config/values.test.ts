import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, sep } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type ConfigInput, loadConfig, type LoadConfigOptions } from '../../src/config/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'jetway-values-'))
const file = join(folder, 'servers.json')
writeFileSync(file, '{}')
afterAll(() => rmSync(folder, { recursive: true }))

/** Loads a file whose parsed content is this value. */
const loading = (content: unknown, options: LoadConfigOptions = {}) =>
  loadConfig(file, {
    env: {},
    userHome: '/home/ann',
    workspaceFolder: folder,
    ...options,
    parse: () => content,
  })

/** Resolves to the first argument of the server's command, or to the message of its problem. */
async function expanded(text: unknown, options: LoadConfigOptions = {}, more: object = {}): Promise<unknown> {
  const { servers, problems } = await loading(
    { ...more, servers: { s: { command: 'c', args: [text] } } },
    options,
  )
  const server = servers['s'] as { readonly args?: readonly string[] } | undefined
  return server?.args?.[0] ?? problems[0]?.message.replace('The server "s": args ', '')
}

describe('a variable', () => {
  it.each([
    ['${userHome}', '/home/ann'],
    ['${workspaceFolder}/a', `${folder}/a`],
    ['${cwd}', folder],
    ['${workspaceFolderBasename}', basename(folder)],
    ['a${pathSeparator}b${/}c', `a${sep}b${sep}c`],
    ['${A}${env:A}', 'xx'],
    ['${A:-d}', 'x'],
    ['${NONE:-d}', 'd'],
    ['${NONE:-}', ''],
    ['${NONE:-a:-b}', 'a:-b'],
    ['$A {A} ${', '$A {A} ${'],
    [true, 'true'],
    [1.5, '1.5'],
    ['${NONE}', 'needs the environment variable NONE, which is not set'],
    ['${env:NONE}', 'needs the environment variable NONE, which is not set'],
    ['${env:}', 'uses "${env:}", which only its own host knows'],
    ['${input:}', 'uses "${input:}", which only its own host knows'],
    ['${1A}', 'uses "${1A}", which only its own host knows'],
    [`\${config:${'x'.repeat(90)}}`, `uses "\${config:${'x'.repeat(57)}}", which only its own host knows`],
    ['${A:-${A}}', 'has nested variables, which are not supported'],
  ])('is expanded: %j becomes %j', async (text, expected) => {
    expect(await expanded(text, { env: { A: 'x' } })).toBe(expected)
  })

  it('is not expanded if the `literal` option is set', async () => {
    expect(await expanded('${NONE}', { literal: true })).toBe('${NONE}')
  })
})

describe('an input', () => {
  it('is passed to the `input` function with its valid members only', async () => {
    const asked: ConfigInput[] = []
    const inputs = [
      { id: 5 },
      'text',
      {
        id: 'a',
        type: 'command',
        description: 5,
        default: 5,
        password: 'yes',
        options: ['x', 5, { value: 'y' }, {}],
      },
      { id: 'b', type: 'other', options: 'x' },
    ]
    const input = async (given: ConfigInput): Promise<string> => {
      asked.push(given)
      return given.id
    }
    expect(await expanded('${input:a}${input:b}${input:a}', { input }, { inputs })).toBe('aba')
    const plain = { description: undefined, default: undefined, password: false }
    expect(asked).toEqual([
      { ...plain, id: 'a', type: 'command', options: ['x', 'y'] },
      { ...plain, id: 'b', type: 'promptString', options: [] },
    ])
  })

  it.each<[object, LoadConfigOptions, string]>([
    [{ default: 'd' }, {}, 'd'],
    [{ default: 'd' }, { input: () => undefined }, 'd'],
    [{ default: 'd' }, { input: () => '' }, ''],
    [{}, { input: () => undefined }, 'needs the input a, which was not given'],
    [{}, {}, 'needs the input a: give the option input, of loadConfig'],
  ])('given %j, results in a value or a problem', async (more, options, expected) => {
    expect(await expanded('${input:a}', options, { inputs: [{ id: 'a', ...more }] })).toBe(expected)
  })

  it('is undefined unless `inputs` is a list', async () => {
    expect(await expanded('${input:a}', {}, { inputs: { id: 'a' } })).toBe(
      'needs the input a, which the file does not define',
    )
  })
})

describe('a server entry', () => {
  const process = { transport: 'stdio', command: 'c', args: [], env: {}, cwd: folder }
  const address = { url: 'https://a.example/', headers: {} }

  it.each<[object, object]>([
    [{ command: 'c' }, process],
    [{ command: 'c', type: 'local' }, process],
    [{ command: 'c', transport: 'stdio' }, process],
    [
      { command: 'c', cwd: 'sub' },
      { ...process, cwd: join(folder, 'sub') },
    ],
    [
      { command: 'c', env: { A: 1, B: true, C: null } },
      { ...process, env: { A: '1', B: 'true' } },
    ],
    [{ url: 'https://a.example/' }, { transport: 'http', ...address }],
    [
      { url: 'https://a.example/', type: 'streamable-http' },
      { transport: 'http', ...address },
    ],
    [
      { url: 'https://a.example/', type: 'streamableHttp' },
      { transport: 'http', ...address },
    ],
    [
      { url: 'https://a.example/', transport: 'sse' },
      { transport: 'sse', ...address },
    ],
  ])('given %j, becomes %j', async (entry, expected) => {
    const { servers, disabled, problems } = await loading({ mcpServers: { s: entry } })
    expect({ servers, disabled, problems }).toEqual({ servers: { s: expected }, disabled: [], problems: [] })
  })

  it.each([
    [{ disabled: true }, ['s']],
    [{ enabled: false }, ['s']],
    [{ disabled: false, enabled: true }, []],
    [{ disabled: 'true', enabled: 0 }, []],
  ])('given %j, results in the disabled servers %j', async (more, expected) => {
    const { disabled } = await loading({ mcpServers: { s: { command: 'c', ...more } } })
    expect(disabled).toEqual(expected)
  })

  it.each([
    [{ command: 'c', env: [] }, 'env', 'must be an object of strings'],
    [{ command: 'c', env: { A: {} } }, 'env.A', 'must be a string'],
    [{ url: 'https://a.example/', headers: 'x' }, 'headers', 'must be an object of strings'],
    [{ command: 'c', args: [null] }, 'args', 'must be a string'],
    [{ command: 5, args: 'x' }, 'args', 'must be a list of strings'],
  ])('given %j, reports a problem in the field %s', async (entry, field, what) => {
    const { problems } = await loading({ mcpServers: { s: entry } })
    expect(problems).toEqual([
      { severity: 'error', server: 's', field, message: `The server "s": ${field} ${what}` },
    ])
  })
})

it('loadConfig reads files of up to 4 MiB', async () => {
  const large = join(folder, 'large.json')
  const parse = (text: string): object => ({ servers: {}, length: text.length })
  writeFileSync(large, ' '.repeat(4_194_304))
  expect((await loadConfig(large, { parse })).servers).toEqual({})
  writeFileSync(large, ' '.repeat(4_194_305))
  await expect(loadConfig(large, { parse })).rejects.toThrow('large.json is longer than 4194304 bytes')
})
