import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCommandLine } from '../src/command-line.ts'
import { UsageError } from '../src/errors.ts'
import { modelFromEnvironment } from '../src/model/from-environment.ts'
import { resolveCommand } from '../src/servers/resolve-command.ts'
import { resolveTargets } from '../src/servers/targets.ts'
import { askForInput } from '@jetway-apps/terminal'

describe('resolveCommand', () => {
  it.each<[string, NodeJS.Platform, string, readonly string[]]>([
    ['a.js', 'linux', process.execPath, ['a.js']],
    ['a.mjs', 'linux', process.execPath, ['a.mjs']],
    ['a.CJS', 'win32', process.execPath, ['a.CJS']],
    ['a.py', 'linux', 'python3', ['a.py']],
    ['a.py', 'darwin', 'python3', ['a.py']],
    ['a.py', 'win32', 'python', ['a.py']],
    ['a.jar', 'linux', 'java', ['-jar', 'a.jar']],
  ])('returns the command for %s on %s', (path, platform, command, args) => {
    expect(resolveCommand(path, platform)).toEqual({ command, args })
  })

  it.each(['a.ts', 'a.mts', 'a.cts', 'a.tsx'])('runs %s with tsx', (path) => {
    const { command, args } = resolveCommand(path)
    expect(command).toBe(process.execPath)
    expect(args?.slice(-3, -1)).toEqual(['--import', expect.stringMatching(/^file:.*tsx/)])
    expect(args?.at(-1)).toBe(path)
  })

  it.each(['a.rb', 'a', 'a.exe'])('throws for %s', (path) => {
    expect(() => resolveCommand(path)).toThrow('.ts, .js, .mjs, .cjs, .py or .jar')
  })
})

describe('servers on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-targets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (path: string, text = ''): string => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
    return join(folder, path)
  }
  const options = { input: async () => 'typed', warn: () => {} }

  it('are given unique names based on their files, folders and hosts', async () => {
    const targets = [
      file('weather/src/main.ts'),
      file('shop server.js'),
      file('other/shop server.js'),
      'https://api.example.com/mcp',
      'http://api.example.com:8080/mcp',
      file('c.json', '{"servers":{"shop-server":{"command":"x"}}}'),
    ]
    expect(Object.keys(await resolveTargets(targets, options))).toEqual([
      'weather',
      'shop-server',
      'shop-server-2',
      'api-example-com',
      'api-example-com-2',
      'shop-server-3',
    ])
  })

  it('may come from a config file whose inputs the user enters', async () => {
    const target = file(
      'vs.json',
      '{"inputs":[{"id":"key"}],"servers":{"a":{"command":"x","args":["${input:key}"]}}}',
    )
    expect(await resolveTargets([target], options)).toMatchObject({ a: { args: ['typed'] } })
  })

  it.each([
    ['', undefined],
    ['west', 'west'],
  ])('accept an empty line for an input that has a default value: %j', async (line, expected) => {
    const asked: string[] = []
    const terminal = {
      ask: (prompt: string): Promise<string> => {
        asked.push(prompt)
        return Promise.resolve(line)
      },
    }
    const input = { id: 'region', type: 'pickString', description: 'Where', password: false } as const
    const given = await askForInput(terminal, { ...input, default: 'east', options: ['east', 'west'] })
    expect(given).toBe(expected)
    expect(asked).toEqual(['Where (east, west; default: east): '])
  })

  it.each([
    [['nowhere.ts'], 'The file nowhere.ts does not exist'],
    [['https://'], 'https:// is not a valid URL'],
  ])('are rejected if they are invalid: %s', async (targets, expected) => {
    await expect(resolveTargets(targets, options)).rejects.toThrow(expected)
  })
})

describe('readCommandLine', () => {
  it.each([
    [[], 'Name at least one server'],
    [['--yess', 'a.ts'], '--yess'],
    [['--api', 'other', 'a.ts'], '--api must be anthropic or openai'],
    [['--rounds', '0', 'a.ts'], '--rounds must be a number'],
  ])('throws for %s', (argv, expected) => {
    expect(() => readCommandLine(argv)).toThrow(UsageError)
    expect(() => readCommandLine(argv)).toThrow(expected)
  })

  it('accepts --help without a server', () => {
    expect(readCommandLine(['--help'])).toMatchObject({ help: true, targets: [] })
  })
})

describe('selecting a model from environment variables', () => {
  const named = { ANTHROPIC_MODEL: 'claude', OPENAI_MODEL: 'gpt' }

  it.each<[object, string]>([
    [{ ANTHROPIC_API_KEY: 'k' }, 'claude'],
    [{ ANTHROPIC_AUTH_TOKEN: 'k' }, 'claude'],
    [{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, 'claude'],
    [{ OPENAI_API_KEY: 'k' }, 'gpt'],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'gpt'],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'claude'],
  ])('succeeds with %j', (env, expected) => {
    expect(modelFromEnvironment({ ...named, ...env }, {}).name).toBe(expected)
  })

  it('can be overridden on the command line', () => {
    const env = { ...named, ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }
    expect(modelFromEnvironment(env, { api: 'openai' }).name).toBe('gpt')
    expect(modelFromEnvironment(env, { model: 'other' }).name).toBe('other')
  })

  it.each<[object, object, string]>([
    [{}, {}, 'No model is configured'],
    [{ ANTHROPIC_API_KEY: ' ' }, {}, 'No model is configured'],
    [{ ANTHROPIC_API_KEY: 'k' }, {}, 'Set ANTHROPIC_MODEL'],
    [{ OPENAI_API_KEY: 'k' }, {}, 'Set OPENAI_MODEL'],
    [{ OPENAI_API_KEY: 'k' }, { api: 'anthropic' }, 'ANTHROPIC_API_KEY is not set'],
    [{ ANTHROPIC_API_KEY: 'k' }, { api: 'openai' }, 'OPENAI_API_KEY is not set'],
    [{ OPENAI_BASE_URL: 'sk-mistaken' }, {}, 'OPENAI_BASE_URL must be an http or https URL'],
  ])('fails for %j with the options %j', (env, wanted, expected) => {
    expect(() => modelFromEnvironment(env as Record<string, string>, wanted)).toThrow(UsageError)
    expect(() => modelFromEnvironment(env as Record<string, string>, wanted)).toThrow(expected)
    expect(() => modelFromEnvironment(env as Record<string, string>, wanted)).not.toThrow('sk-mistaken')
  })
})
