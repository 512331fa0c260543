import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ConfigFileError, type ConfigInput, loadConfig, type LoadConfigOptions } from '@jetway/client/config'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'jetway-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A file of the project at `folder`, or elsewhere below it. */
function file(name: string, content: unknown): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  )
  return path
}

const load = (
  name: string,
  content: unknown,
  options: LoadConfigOptions = {},
): ReturnType<typeof loadConfig> =>
  loadConfig(file(name, content), { env: {}, userHome: '/home/ann', ...options })

describe('the files of hosts', () => {
  it('Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers', async () => {
    const { servers, problems } = await load('claude_desktop_config.json', {
      globalShortcut: 'Ctrl+Space',
      mcpServers: {
        filesystem: { command: 'npx', args: ['-y', 'server-filesystem', '/home/ann/Desktop'] },
        shop: { command: 'node', args: ['shop.js'], env: { API_KEY: 'key' } },
      },
    })
    expect(servers).toEqual({
      filesystem: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', 'server-filesystem', '/home/ann/Desktop'],
        env: {},
      },
      shop: { transport: 'stdio', command: 'node', args: ['shop.js'], env: { API_KEY: 'key' } },
    })
    expect(problems).toEqual([])
  })

  it('Claude Code: https://code.claude.com/docs/en/mcp', async () => {
    const { servers, problems } = await load(
      '.mcp.json',
      {
        mcpServers: {
          local: {
            type: 'stdio',
            command: '${TOOLS:-/opt}/server',
            args: ['--region=${REGION}', '${EMPTY:-x}', '$PLAIN'],
            env: { KEY: '${KEY}', LEVEL: '${LEVEL:-a:-b}' },
          },
          remote: {
            type: 'http',
            url: '${BASE:-https://api.example.com}/mcp',
            headers: { Authorization: 'Bearer ${KEY}' },
          },
          renamed: { type: 'streamable-http', url: 'https://example.com/mcp' },
          old: { type: 'sse', url: 'https://example.com/sse' },
        },
      },
      { env: { REGION: 'eu', KEY: 'secret', EMPTY: '' } },
    )
    expect(problems).toEqual([])
    expect(servers).toEqual({
      local: {
        transport: 'stdio',
        command: '/opt/server',
        args: ['--region=eu', '', '$PLAIN'],
        env: { KEY: 'secret', LEVEL: 'a:-b' },
        cwd: folder,
      },
      remote: {
        transport: 'http',
        url: 'https://api.example.com/mcp',
        headers: { Authorization: 'Bearer secret' },
      },
      renamed: { transport: 'http', url: 'https://example.com/mcp', headers: {} },
      old: { transport: 'sse', url: 'https://example.com/sse', headers: {} },
    })
  })

  it('Cursor: https://cursor.com/docs/mcp', async () => {
    file('cursor/.env', '# of the shop\nFROM_FILE=file\nBOTH=file\nexport QUOTED="two words"\n')
    const { servers, problems } = await load(
      'cursor/.cursor/mcp.json',
      {
        mcpServers: {
          shop: {
            command: '${workspaceFolder}/bin/shop',
            args: ['${userHome}', '${workspaceFolderBasename}', '${env:REGION}', '${/}${pathSeparator}'],
            env: { BOTH: 'entry' },
            envFile: '.env',
          },
          far: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
        },
      },
      { env: { REGION: 'eu', TOKEN: 'secret' } },
    )
    expect(problems).toEqual([])
    const project = join(folder, 'cursor')
    expect(servers['shop']).toEqual({
      transport: 'stdio',
      command: `${project}/bin/shop`,
      args: ['/home/ann', 'cursor', 'eu', '//'],
      env: { FROM_FILE: 'file', BOTH: 'entry', QUOTED: 'two words' },
      cwd: project,
    })
    expect(servers['far']).toMatchObject({ headers: { Authorization: 'Bearer secret' } })
  })

  it('VS Code: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration', async () => {
    const asked: ConfigInput[] = []
    const { servers, problems } = await load(
      'vscode/.vscode/mcp.json',
      `﻿{
        // The file does not store keys: users enter them.
        "inputs": [
          { "type": "promptString", "id": "api-key", "description": "API key", "password": true },
          { "type": "pickString", "id": "region", "options": ["eu", { "label": "USA", "value": "us" }], "default": "eu" },
          { "type": "promptString", "id": "unused" },
        ],
        "servers": {
          "local": {
            "type": "stdio",
            "command": "node",
            "args": ["\${workspaceFolder}/server.js", /* twice */ "\${input:api-key}", "\${input:region}"],
            "env": { "KEY": "\${input:api-key}", "PORT": 3000, "NONE": null },
            "cwd": "packages/shop",
          },
          "remote": { "type": "http", "url": "https://example.com/mcp" },
        },
      }`,
      {
        input: (input) => {
          asked.push(input)
          return input.password ? 'secret' : undefined
        },
      },
    )
    expect(problems).toEqual([])
    const project = join(folder, 'vscode')
    expect(servers).toEqual({
      local: {
        transport: 'stdio',
        command: 'node',
        args: [`${project}/server.js`, 'secret', 'eu'],
        env: { KEY: 'secret', PORT: '3000' },
        cwd: join(project, 'packages/shop'),
      },
      remote: { transport: 'http', url: 'https://example.com/mcp', headers: {} },
    })
    expect(asked).toEqual([
      {
        id: 'api-key',
        type: 'promptString',
        description: 'API key',
        default: undefined,
        password: true,
        options: [],
      },
      {
        id: 'region',
        type: 'pickString',
        description: undefined,
        default: 'eu',
        password: false,
        options: ['eu', 'us'],
      },
    ])
  })

  it('a file of the home folder belongs to no project', async () => {
    const { servers } = await load(
      'home/.cursor/mcp.json',
      { mcpServers: { a: { command: '${workspaceFolder}' } } },
      { userHome: join(folder, 'home') },
    )
    expect(servers['a']).toEqual({ transport: 'stdio', command: process.cwd(), args: [], env: {} })
  })

  it('the workspace folder can be set', async () => {
    const { servers } = await load(
      'elsewhere.json',
      { servers: { a: { command: 'a', args: ['${workspaceFolder}'] } } },
      { workspaceFolder: '/work' },
    )
    expect(servers['a']).toMatchObject({ args: ['/work'], cwd: '/work' })
  })
})

describe('one server that cannot be used', () => {
  const usable = { command: 'usable' }

  it.each<[string, unknown, string]>([
    ['no object', 'npx', 'The server "bad" is not an object'],
    ['nothing in it', {}, 'command is missing: set command or url'],
    ['a process without a command', { type: 'stdio', url: 'https://x.example/hush' }, 'command is missing'],
    ['an address without one', { type: 'http', command: 'hush' }, 'url is missing'],
    ['both', { command: 'hush', url: 'https://x.example/hush' }, 'url cannot be combined with command'],
    ['an unknown transport', { type: 'ws', url: 'wss://x.example/hush' }, 'type must be stdio, http or sse'],
    [
      'a socket',
      { url: 'unix:///hush.sock' },
      "url cannot be used: A server's URL must begin with http: or https:",
    ],
    ['no address', { url: 'hush' }, 'url cannot be used'],
    ['a password', { url: 'https://ann:hush@x.example/' }, 'use headers or auth'],
    ['a command line', { command: 'a', args: '--key hush' }, 'args must be a list of strings'],
    ['a list within', { command: 'a', args: [['hush']] }, 'args must be a string'],
    ['an odd header', { url: 'https://x.example', headers: { Key: 'hush\nhush' } }, 'the header "Key"'],
    ['a file that is not there', { command: 'a', envFile: 'none.env' }, 'cannot be read: ENOENT'],
    ['a sandbox', { command: 'hush', sandboxEnabled: true }, 'sandboxEnabled is not supported'],
    [
      'an unset variable',
      { command: 'a', env: { TOKEN: 'hush${TOKEN}' } },
      'env.TOKEN needs the environment variable TOKEN',
    ],
    [
      'an unset one of Cursor',
      { url: 'https://x.example/hush?${env:ID}' },
      'url needs the environment variable ID',
    ],
    ['what every object has', { command: '${constructor}' }, 'needs the environment variable constructor'],
    ['one within another', { command: '${A:-${B}}' }, 'nested variables'],
    [
      'what an editor knows',
      { command: '${config:shop.path}' },
      '"${config:shop.path}", which only its own host',
    ],
    [
      'an input that nobody defined',
      { command: '${input:key}' },
      'needs the input key, which the file does not define',
    ],
    ['an input that nobody asks for', { command: '${input:token}' }, 'give the option input'],
  ])('%s: is reported by name, and does not affect the others', async (_, bad, expected) => {
    const inputs = [{ type: 'promptString', id: 'token', password: true }]
    const { servers, problems } = await load('bad/mcp.json', { inputs, mcpServers: { bad, usable } })
    expect(Object.keys(servers)).toEqual(['usable'])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ severity: 'error', server: 'bad' })
    expect(problems[0]?.message).toMatch(/^The server "bad"/)
    expect(problems[0]?.message).toContain(expected)
    expect(JSON.stringify(problems)).not.toContain('hush')
  })

  it('an input without a value or default', async () => {
    const content = { inputs: [{ id: 'token' }], mcpServers: { bad: { command: '${input:token}' }, usable } }
    const { servers, problems } = await load('input.json', content, { input: () => undefined })
    expect(Object.keys(servers)).toEqual(['usable'])
    expect(problems[0]?.message).toBe('The server "bad": command needs the input token, which was not given')
  })

  it('a name in both lists', async () => {
    const { servers, problems } = await load('both.json', { mcpServers: { usable }, servers: { usable } })
    expect(Object.keys(servers)).toEqual(['usable'])
    expect(problems[0]?.message).toBe('The server "usable" appears twice')
  })
})

describe('other content', () => {
  it('unknown fields are ignored and reported', async () => {
    const { servers, problems } = await load('unused.json', {
      mcpServers: {
        a: { command: 'a', autoApprove: ['*'], dev: { watch: '**' }, headers: { Key: 'hush' } },
        b: { url: 'https://x.example', headersHelper: './hush.sh', env: { KEY: 'hush' } },
      },
    })
    expect(servers).toEqual({
      a: { transport: 'stdio', command: 'a', args: [], env: {} },
      b: { transport: 'http', url: 'https://x.example', headers: {} },
    })
    expect(problems.map(({ severity, server, field }) => `${severity} ${server}.${field}`)).toEqual([
      'warning a.autoApprove',
      'warning a.dev',
      'warning a.headers',
      'warning b.headersHelper',
      'warning b.env',
    ])
    expect(problems[0]?.message).toBe('The server "a": autoApprove is ignored')
    expect(JSON.stringify(problems)).not.toContain('hush')
  })

  it('disabled servers are listed, and need no input', async () => {
    const { servers, disabled, problems } = await load('disabled.json', {
      mcpServers: {
        a: { command: '${UNSET}', disabled: true },
        b: { enabled: false },
        c: { command: 'c', disabled: false },
      },
    })
    expect(Object.keys(servers)).toEqual(['c'])
    expect(disabled).toEqual(['a', 'b'])
    expect(problems).toEqual([])
  })

  it("a variable of the server's own env is left to the server", async () => {
    const { servers } = await load('own.json', {
      mcpServers: {
        far: {
          command: 'npx',
          args: ['mcp-remote', 'https://x.example/sse', '--header', 'Authorization:${AUTH_HEADER}'],
          env: { AUTH_HEADER: 'Bearer secret' },
        },
      },
    })
    expect(servers['far']).toMatchObject({ args: expect.arrayContaining(['Authorization:${AUTH_HEADER}']) })
  })

  it('the values of variables are not expanded again', async () => {
    const { servers } = await load(
      'once.json',
      { mcpServers: { a: { command: '${A}' } } },
      { env: { A: '${B}', B: 'b' } },
    )
    expect(servers['a']).toMatchObject({ command: '${B}' })
  })

  it('unclosed variables are text, and are found quickly', async () => {
    const command = '${'.repeat(1_000_000)
    const start = process.cpuUsage()
    const { servers } = await load('endless.json', { mcpServers: { a: { command: 'x', args: [command] } } })
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000)
    expect(servers['a']).toMatchObject({ args: [command] })
  })

  it('names of object members are ordinary names', async () => {
    const { servers } = await load(
      'names.json',
      '{"mcpServers":{"__proto__":{"command":"a"},"constructor":{"command":"b"}}}',
    )
    expect(Object.keys(servers)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(servers)).toBe(Object.prototype)
  })
})

describe('a file of another format', () => {
  it('is parsed by the function that is given', async () => {
    const parse = (text: string): unknown => ({ servers: { [text]: { command: '${KEY}', cwd: 'sub' } } })
    const options = { parse, literal: true, workspaceFolder: '/project' }
    expect(await load('names.txt', 'shop', options)).toEqual({
      servers: {
        shop: { transport: 'stdio', command: '${KEY}', args: [], env: {}, cwd: join('/project', 'sub') },
      },
      disabled: [],
      problems: [],
    })
  })

  it('throws what that function throws', async () => {
    const fault = new SyntaxError('no')
    const parse = (): never => {
      throw fault
    }
    await expect(load('names.txt', 'shop', { parse })).rejects.toBe(fault)
  })
})

describe('a file that cannot be read', () => {
  it.each<[string, string | Uint8Array, string]>([
    [
      'is no JSON',
      '{\n  "mcpServers": { "a": { "env": { "KEY": hush } } }\n}',
      'is not valid JSON: see line 2, column 42',
    ],
    ['ends early', '{"mcpServers": {"a": "hush"', 'is not valid JSON'],
    ['is empty', '', 'is not valid JSON'],
    ['is nested without end', '['.repeat(200_000), 'is nested too deeply'],
    ['is a list', '["hush"]', 'is not an object'],
    ['has no servers', '{"hush": {}}', 'has neither mcpServers nor servers'],
    ['has a list of servers', '{"mcpServers": ["hush"]}', 'has a list of servers that is not an object'],
    ['is of another encoding', new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), 'is not UTF-8'],
    ['is too long', `{"mcpServers": {}}${' '.repeat(1000)}`, 'is longer than 1000 bytes'],
  ])('because it %s', async (_, content, expected) => {
    const max = expected.includes('longer') ? { maxBytes: 1000 } : {}
    const error = await load('broken.json', content, max).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigFileError)
    expect((error as ConfigFileError).message).toContain(`broken.json ${expected}`)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hush')
  })

  it('because it does not exist', async () => {
    await expect(loadConfig(join(folder, 'nowhere.json'))).rejects.toThrow(
      'nowhere.json cannot be read: ENOENT',
    )
  })

  it('is read up to its limit, to the byte', async () => {
    const text = '{"mcpServers":{}}'
    expect((await load('exact.json', text, { maxBytes: text.length })).servers).toEqual({})
    await expect(load('exact.json', text, { maxBytes: text.length - 1 })).rejects.toThrow(
      'is longer than 16 bytes',
    )
  })

  it('an error of the input function is thrown', async () => {
    const content = { inputs: [{ id: 'token' }], servers: { a: { command: '${input:token}' } } }
    const input = (): never => {
      throw new Error('The user has left')
    }
    await expect(load('left.json', content, { input })).rejects.toThrow('The user has left')
  })
})
