import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { Host, LocalServer, RemoteServer } from '../../src/hosts/host.ts'
import { HOSTS } from '../../src/hosts/index.ts'
import { type Place, thisPlace } from '../../src/hosts/place.ts'
import { isPresent } from '../../src/hosts/presence.ts'

const SERVER: LocalServer = { command: '/bin/node', args: ['/s.js'], env: { A: '1' }, references: ['KEY'] }
const ADDRESS: RemoteServer = { url: 'https://h/mcp', headers: { 'X-A': '1' } }

const plain = { command: '/bin/node', args: ['/s.js'] }
const GOOSE = { enabled: true, name: 'shop', description: '', timeout: 300 }

describe('an entry written for a host', () => {
  it.each([
    ['claude-desktop', { ...plain, env: { A: '1', KEY: '' } }, undefined],
    [
      'claude-code',
      { type: 'stdio', ...plain, env: { A: '1', KEY: '${KEY}' } },
      { type: 'http', url: 'https://h/mcp', headers: { 'X-A': '1' } },
    ],
    [
      'cursor',
      { ...plain, env: { A: '1', KEY: '${env:KEY}' } },
      { url: 'https://h/mcp', headers: { 'X-A': '1' } },
    ],
    [
      'vscode',
      { type: 'stdio', ...plain, env: { A: '1', KEY: '${env:KEY}' } },
      { type: 'http', url: 'https://h/mcp', headers: { 'X-A': '1' } },
    ],
    [
      'windsurf',
      { ...plain, env: { A: '1', KEY: '${env:KEY}' } },
      { serverUrl: 'https://h/mcp', headers: { 'X-A': '1' } },
    ],
    ['zed', { ...plain, env: { A: '1', KEY: '' } }, { url: 'https://h/mcp', headers: { 'X-A': '1' } }],
    [
      'codex',
      { ...plain, env: { A: '1' }, env_vars: ['KEY'] },
      { url: 'https://h/mcp', http_headers: { 'X-A': '1' } },
    ],
    [
      'gemini-cli',
      { ...plain, env: { A: '1', KEY: '$KEY' } },
      { httpUrl: 'https://h/mcp', headers: { 'X-A': '1' } },
    ],
    [
      'goose',
      { ...GOOSE, type: 'stdio', cmd: '/bin/node', args: ['/s.js'], envs: { A: '1' }, env_keys: ['KEY'] },
      {
        ...GOOSE,
        type: 'streamable_http',
        uri: 'https://h/mcp',
        envs: {},
        env_keys: [],
        headers: { 'X-A': '1' },
      },
    ],
  ])('has the members that %s expects', (id, local, remote) => {
    const host = HOSTS.find((one) => one.id === id)
    expect(host?.local(SERVER, 'shop')).toEqual(local)
    expect(host?.remote?.(ADDRESS, 'shop')).toEqual(remote)
  })
})

it.each(HOSTS.map((host) => [host.id, host] as const))(
  'an entry written for %s has no empty members',
  (_, host) => {
    const local = host.local({ ...SERVER, env: {}, references: [] }, 'shop')
    const remote = host.remote?.({ ...ADDRESS, headers: {} }, 'shop') ?? {}
    const names = [...Object.keys(local), ...Object.keys(remote)]
    const empty = host.id === 'goose' ? ['envs', 'env_keys', 'envs', 'env_keys', 'headers'] : []
    const isEmpty = (name: string): boolean => /^(?:envs?|env_.*|headers|http_headers)$/.test(name)
    expect(names.filter(isEmpty)).toEqual(empty)
  },
)

describe('Host.read', () => {
  it.each(HOSTS.map((host) => [host.id, host] as const))(
    'converts an entry for %s back to the standard form',
    (_, host) => {
      const { local, remote, references, read = (entry) => entry } = host
      const own = { KEY: 'mine' }
      expect(read(local(SERVER, 'shop'), own)).toMatchObject({
        command: '/bin/node',
        args: ['/s.js'],
        env: {
          A: '1',
          KEY: { none: '', text: expect.stringMatching(/^\$\{(env:)?KEY\}$/), members: 'mine' }[references],
        },
      })
      if (remote !== undefined)
        expect(read(remote(ADDRESS, 'shop'), own)).toMatchObject({
          url: ADDRESS.url,
          headers: ADDRESS.headers,
        })
    },
  )

  it.each([
    ['zed', { command: { path: '/z', args: ['a'] } }, { command: '/z', args: ['a'] }],
    ['gemini-cli', { url: 'https://h/sse' }, { type: 'sse', url: 'https://h/sse' }],
    ['gemini-cli', { url: 'https://h/mcp', type: 'http' }, { type: 'http', url: 'https://h/mcp' }],
    [
      'codex',
      {
        url: 'https://h/mcp',
        bearer_token_env_var: 'KEY',
        env_http_headers: { 'X-K': 'KEY', 'X-N': 'NONE' },
      },
      { url: 'https://h/mcp', headers: { Authorization: 'Bearer mine', 'X-K': 'mine' } },
    ],
    ['zed', { command: '/z', args: ['a'] }, { command: '/z', args: ['a'] }],
    ['windsurf', { command: '/w' }, { command: '/w' }],
    [
      'gemini-cli',
      { command: '$A', args: ['${B} $C_1', 1], env: { D: '$D' }, trust: null },
      { command: '${A}', args: ['${B} ${C_1}', 1], env: { D: '${D}' }, trust: null },
    ],
    [
      'codex',
      { command: '/c', env: { KEY: 'own' }, env_vars: ['KEY'] },
      { command: '/c', env: { KEY: 'own' } },
    ],
    ['codex', { command: '/c', env: 'x', env_vars: [1, { name: 2 }] }, { command: '/c', env: {} }],
    ['codex', { url: 'https://h', env_http_headers: { A: 1 } }, { url: 'https://h', headers: {} }],
    [
      'goose',
      { type: 'stdio', cmd: '/g', env_keys: 'KEY', envs: 1 },
      { type: 'stdio', command: '/g', env: {} },
    ],
    [
      'goose',
      { type: 'stdio', cmd: '/g', env_keys: ['KEY', 1], envs: { KEY: 'own' } },
      { type: 'stdio', command: '/g', env: { KEY: 'own' } },
    ],
    ['goose', { type: 'sse', uri: 'https://h', headers: 1 }, { type: 'sse', url: 'https://h', headers: {} }],
    [
      'goose',
      {
        type: 'sse',
        uri: 'https://h',
        env_keys: ['KEY'],
        envs: { N: 1 },
        headers: { A: 1, B: '${ KEY } $N $' },
      },
      { type: 'sse', url: 'https://h', headers: { A: 1, B: 'mine $N $' } },
    ],
    [
      'codex',
      { command: '/c', env_vars: ['NONE', { name: 'KEY', source: 'local' }] },
      { command: '/c', env: { KEY: 'mine' } },
    ],
    [
      'goose',
      {
        type: 'streamable_http',
        uri: 'https://h/mcp',
        envs: { B: '2' },
        env_keys: ['KEY'],
        headers: { 'X-B': '$B ${KEY} $HOME' },
      },
      { type: 'http', url: 'https://h/mcp', headers: { 'X-B': '2 mine $HOME' } },
    ],
  ])('converts an entry for %s to the standard form: %j', (id, entry, usual) => {
    const host = HOSTS.find((one) => one.id === id)
    expect(host?.read?.(entry, { KEY: 'mine' })).toEqual(usual)
  })

  it("throws if Codex's token variable is not set", () => {
    const host = HOSTS.find(({ id }) => id === 'codex')
    expect(() => host?.read?.({ url: 'https://h/mcp', bearer_token_env_var: 'NONE' }, {})).toThrow(
      'The environment variable NONE is not set',
    )
  })
})

const MACS: Place = { platform: 'darwin', home: '/Users/me', env: {}, list: () => [] }
const LINUX: Place = { ...MACS, platform: 'linux', home: '/home/me' }
const WINDOWS: Place = {
  platform: 'win32',
  home: String.raw`C:\Users\me`,
  env: {
    APPDATA: String.raw`C:\Users\me\AppData\Roaming`,
    LOCALAPPDATA: String.raw`C:\Users\me\AppData\Local`,
  },
  list: (folder) => (folder.endsWith('Packages') ? ['Claude_pzs8sxrjxfjjc', 'Other_1'] : []),
}

describe('Host.files', () => {
  it.each([
    [
      'claude-desktop',
      '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      '/home/me/.config/Claude/claude_desktop_config.json',
      String.raw`C:\Users\me\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`,
    ],
    ['claude-code', '/Users/me/.claude.json', '/home/me/.claude.json', String.raw`C:\Users\me\.claude.json`],
    [
      'cursor',
      '/Users/me/.cursor/mcp.json',
      '/home/me/.cursor/mcp.json',
      String.raw`C:\Users\me\.cursor\mcp.json`,
    ],
    [
      'vscode',
      '/Users/me/Library/Application Support/Code/User/mcp.json',
      '/home/me/.config/Code/User/mcp.json',
      String.raw`C:\Users\me\AppData\Roaming\Code\User\mcp.json`,
    ],
    [
      'windsurf',
      '/Users/me/.codeium/windsurf/mcp_config.json',
      '/home/me/.codeium/windsurf/mcp_config.json',
      String.raw`C:\Users\me\.codeium\windsurf\mcp_config.json`,
    ],
    [
      'zed',
      '/Users/me/.config/zed/settings.json',
      '/home/me/.config/zed/settings.json',
      String.raw`C:\Users\me\AppData\Roaming\Zed\settings.json`,
    ],
    [
      'codex',
      '/Users/me/.codex/config.toml',
      '/home/me/.codex/config.toml',
      String.raw`C:\Users\me\.codex\config.toml`,
    ],
    [
      'gemini-cli',
      '/Users/me/.gemini/settings.json',
      '/home/me/.gemini/settings.json',
      String.raw`C:\Users\me\.gemini\settings.json`,
    ],
    [
      'goose',
      '/Users/me/.config/goose/config.yaml',
      '/home/me/.config/goose/config.yaml',
      String.raw`C:\Users\me\AppData\Roaming\Block\goose\config\config.yaml`,
    ],
  ])('returns the config files of %s', (id, mac, linux, windows) => {
    const host = HOSTS.find((one) => one.id === id)
    expect([MACS, LINUX, WINDOWS].map((place) => host?.files(place)[0])).toEqual([mac, linux, windows])
  })

  it('returns the files of both Claude Desktop variants on Windows: packaged app and installer', () => {
    const files = HOSTS.find(({ id }) => id === 'claude-desktop')?.files(WINDOWS)
    expect(files).toHaveLength(2)
    expect(files?.[1]).toBe(String.raw`C:\Users\me\AppData\Roaming\Claude\claude_desktop_config.json`)
  })

  it.each([
    ['claude-desktop', LINUX, { XDG_CONFIG_HOME: '/x' }, '/x/Claude/claude_desktop_config.json'],
    ['zed', MACS, { XDG_CONFIG_HOME: '/x' }, '/x/zed/settings.json'],
    ['goose', LINUX, { XDG_CONFIG_HOME: '/x' }, '/x/goose/config.yaml'],
    ['codex', LINUX, { CODEX_HOME: '/x' }, '/x/config.toml'],
    ['vscode', WINDOWS, {}, String.raw`C:\Users\me\AppData\Roaming\Code\User\mcp.json`],
    [
      'claude-desktop',
      WINDOWS,
      {},
      String.raw`C:\Users\me\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`,
    ],
  ])('uses the environment variables for %s: %o with %j', (id, place, env, file) => {
    expect(HOSTS.find((one) => one.id === id)?.files({ ...place, env })[0]).toBe(file)
  })
})

describe('isPresent', () => {
  const cursor = HOSTS.find(({ id }) => id === 'cursor') as Host
  const claude = HOSTS.find(({ id }) => id === 'claude-code') as Host
  const having = (folder: string, name: string): Place => ({
    ...LINUX,
    list: (path) => (path === folder ? [name] : []),
  })

  it.each([
    ['its file', cursor, having('/home/me/.cursor', 'mcp.json'), true],
    ['its folder', cursor, having('/home/me', '.cursor'), true],
    ['its file and no other one', cursor, having('/home/me/.cursor', 'mcp'), false],
    ['its file in the home folder', claude, having('/home/me', '.claude.json'), true],
    ['more than the home folder', claude, having('/home', 'me'), false],
  ])('checks for %s', (_, host, place, expected) => {
    expect(isPresent(host, place)).toBe(expected)
  })
})

it('thisPlace() reads the home folder from the environment', () => {
  expect(thisPlace({ HOME: '/x' }).home).toBe('/x')
  expect(thisPlace({}).home).toBe(homedir())
  expect(thisPlace({}).list('/no/such/folder')).toEqual([])
})
