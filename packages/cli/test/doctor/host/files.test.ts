import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { readContent, readOther, serverLists } from '../../../src/doctor/host/content.ts'
import { checkLog } from '../../../src/doctor/host/log.ts'
import { misplacedFiles } from '../../../src/doctor/host/misplaced.ts'
import { HOSTS } from '../../../src/hosts/index.ts'
import { secretsIn } from '../../../src/hosts/secrets.ts'
import type { Host } from '../../../src/hosts/host.ts'
import type { Place } from '../../../src/hosts/place.ts'
import { folderWith } from '../support/programs.ts'

const host = (id: string): Host => HOSTS.find((one) => one.id === id) as Host
const placeAt = (home: string, platform: NodeJS.Platform = 'linux'): Place => ({
  platform,
  home,
  env: {},
  list: () => [],
})

describe('checkLog', () => {
  const LOG = '.config/Claude/logs/mcp-server-shop.log'
  const START = '[info] Initializing server...\n'
  const check = async (text: string, file = LOG, platform?: NodeJS.Platform) => {
    const { path, shown } = folderWith({ [file]: text })
    return shown(await checkLog(host('claude-desktop'), 'shop', placeAt(path('~'), platform)))
  }
  const logged = (...lines: readonly string[]) => [
    {
      check: 'log',
      verdict: 'warning',
      evidence: ['Claude Desktop has logged for its last start:', ...lines].join('\n'),
      advice: `If this is still so after a restart of Claude Desktop, see ~/${LOG}`,
    },
  ]
  const clean = [{ check: 'log', verdict: 'ok', evidence: `The last start has no errors in ~/${LOG}` }]

  it.each<readonly [string, string, readonly object[]]>([
    ['no start of the server', '[error] a\n', logged('[error] a')],
    ['an error of an earlier start', `[error] a\n${START}`, clean],
    [
      'errors of the last start',
      `${START}[error] a\n${START}TypeError: b\n[info] c\n`,
      logged('TypeError: b'),
    ],
    ['a missing program', `${START}spawn npx ENOENT\n`, logged('spawn npx ENOENT')],
    [
      'more than three errors',
      `${START}[error] 1\n[error] 2\n[error] 3\n[error] 4\n`,
      logged('[error] 2', '[error] 3', '[error] 4'),
    ],
    ['a long error', `[error] ${'x'.repeat(293)}\n`, logged(`[error] ${'x'.repeat(292)}…`)],
    ['no lines', '', clean],
    ['an error before the last 64 KiB', `[error] a\n${'x'.repeat(65_536)}\n`, clean],
    [
      'a line that begins before the last 64 KiB',
      `[error] ${'x'.repeat(65_600)} [error] \n[error] b\n`,
      logged('[error] b'),
    ],
    [
      'a line that begins with the last 64 KiB',
      `[error] a\n${'x'.repeat(65_536 - 11)}\n`,
      logged('[error] a'),
    ],
  ])('reads a log with %s', async (_, text, expected) => {
    expect(await check(text)).toEqual(expected)
  })

  it('reads the log from another folder on macOS', async () => {
    const [finding] = await check('', 'Library/Logs/Claude/mcp-server-shop.log', 'darwin')
    expect(finding?.verdict).toBe('ok')
  })

  it('reports nothing for other hosts or without a log', async () => {
    const { path } = folderWith({})
    const place = placeAt(path('~'))
    expect(await checkLog(host('claude-desktop'), 'shop', place)).toEqual([
      { check: 'log', verdict: 'skipped', evidence: `There is no log ${path(`~/${LOG}`)}` },
    ])
    expect(await checkLog(host('cursor'), 'shop', place)).toEqual([])
  })
})

describe('the content of a host file', () => {
  it('may have a byte order mark', async () => {
    const { path } = folderWith({ a: '\uFEFF{"b":1}' })
    expect(await readContent(host('cursor'), path('~/a'))).toEqual({ b: 1 })
    expect(await readOther(path('~/a'), 'json')).toEqual({ b: 1 })
  })

  it('may have comments if its host accepts them', async () => {
    const { path } = folderWith({ a: '{ /* c */ }' })
    expect(await readContent(host('cursor'), path('~/a'))).toEqual({})
    await expect(readContent(host('claude-desktop'), path('~/a'))).rejects.toThrow(SyntaxError)
  })

  it('is undefined if the file is invalid or does not exist', async () => {
    const { path } = folderWith({ a: '{' })
    expect(await readOther(path('~/a'), 'json')).toBeUndefined()
    expect(await readOther(path('~/b'), 'json')).toBeUndefined()
  })

  it.each([
    [
      { mcpServers: { a: { command: 'x' }, b: { url: 'y' }, c: { cmd: 1 }, d: 'x' } },
      [['mcpServers', ['a', 'b']]],
    ],
    [
      { servers: { a: { uri: 'x' } }, extensions: { b: { cmd: 'x' } } },
      [
        ['servers', ['a']],
        ['extensions', ['b']],
      ],
    ],
    [{ context_servers: { a: { serverUrl: 'x' } } }, [['context_servers', ['a']]]],
    [{ mcp_servers: { a: { httpUrl: 'x' } } }, [['mcp_servers', ['a']]]],
    [{ extensions: { a: { version: '1' } }, servers: ['x'], other: { a: { command: 'x' } } }, []],
    [['x'], []],
    [undefined, []],
  ])('is searched for servers: %j', (content, lists) => {
    expect([...serverLists(content)]).toEqual(lists)
  })

  it.each([
    [{ env: { A: 'a' }, command: 'b' }, ['a']],
    [{ envs: { A: 'a', N: 1 } }, ['a']],
    [[{ headers: { A: ['a', { b: 'c' }] } }], ['a', 'c']],
    [{ http_headers: { A: 'a' }, requestInit: { headers: { B: 'b' } } }, ['a', 'b']],
    [{ environment: 'a', my_env: 'b' }, []],
    [{ args: ['--token', 'a', '--api-key=b', '-y', '--keyboard', '-x', 'shop'] }, ['a', 'b']],
    [{ url: 'https://ann:a@host/mcp?key=b&x=#c' }, ['ann:a', 'b']],
    [null, []],
  ])('is searched for secrets: %j', (value, secrets) => {
    expect(secretsIn(value)).toEqual(secrets)
  })
})

it.each(HOSTS.map(({ id }) => id))('misplacedFiles does not list files that %s reads', (id) => {
  const place = placeAt('/home/ann')
  const files = misplacedFiles(host(id), place)
  expect(files.filter((file) => host(id).files(place).includes(file))).toEqual([])
  expect(files.length > 0).toBe(!['zed', 'goose'].includes(id))
})

it('misplacedFiles lists a project file in the home folder unless the home folder is the current project', () => {
  expect(misplacedFiles(host('vscode'), placeAt(process.cwd()))).toEqual([])
  expect(misplacedFiles(host('vscode'), placeAt('/home/ann'))).toEqual(['/home/ann/.vscode/mcp.json'])
})
