import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ConfigFileError, type ConfigInput, loadConfig, type LoadConfigOptions } from '@jetway/client/config'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'jetway-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a file in the project at `folder`, and returns its path. */
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

describe("loadConfig with a host's config file", () => {
  it('reads the file of Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers', async () => {
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

  it('reads the file of Claude Code: https://code.claude.com/docs/en/mcp', async () => {
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

  it('reads the file of Cursor: https://cursor.com/docs/mcp', async () => {
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

  it('reads the file of VS Code: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration', async () => {
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

  it('treats the current folder as the workspace if the file is in the home folder', async () => {
    const { servers } = await load(
      'home/.cursor/mcp.json',
      { mcpServers: { a: { command: '${workspaceFolder}' } } },
      { userHome: join(folder, 'home') },
    )
    expect(servers['a']).toEqual({ transport: 'stdio', command: process.cwd(), args: [], env: {} })
  })

  it('uses the `workspaceFolder` option', async () => {
    const { servers } = await load(
      'elsewhere.json',
      { servers: { a: { command: 'a', args: ['${workspaceFolder}'] } } },
      { workspaceFolder: '/work' },
    )
    expect(servers['a']).toMatchObject({ args: ['/work'], cwd: '/work' })
  })
})

describe('loadConfig with an invalid server', () => {
  const usable = { command: 'usable' }

  it.each<[string, unknown, string]>([
    ['a string', 'npx', 'The server "bad" is not an object'],
    ['an empty entry', {}, 'command is missing: set command or url'],
    ['a process without a command', { type: 'stdio', url: 'https://x.example/hush' }, 'command is missing'],
    ['an HTTP server without a url', { type: 'http', command: 'hush' }, 'url is missing'],
    [
      'both a command and a url',
      { command: 'hush', url: 'https://x.example/hush' },
      'url cannot be combined with command',
    ],
    ['an unknown transport', { type: 'ws', url: 'wss://x.example/hush' }, 'type must be stdio, http or sse'],
    [
      'a socket',
      { url: 'unix:///hush.sock' },
      "url cannot be used: A server's URL must begin with http: or https:",
    ],
    ['an invalid url', { url: 'hush' }, 'url cannot be used'],
    ['a password', { url: 'https://ann:hush@x.example/' }, 'use headers or auth'],
    ['a command line', { command: 'a', args: '--key hush' }, 'args must be a list of strings'],
    ['a nested list', { command: 'a', args: [['hush']] }, 'args must be a string'],
    ['an invalid header', { url: 'https://x.example', headers: { Key: 'hush\nhush' } }, 'the header "Key"'],
    ['a missing env file', { command: 'a', envFile: 'none.env' }, 'cannot be read: ENOENT'],
    ['a sandbox', { command: 'hush', sandboxEnabled: true }, 'sandboxEnabled is not supported'],
    [
      'an unset variable',
      { command: 'a', env: { TOKEN: 'hush${TOKEN}' } },
      'env.TOKEN needs the environment variable TOKEN',
    ],
    [
      "an unset variable in Cursor's syntax",
      { url: 'https://x.example/hush?${env:ID}' },
      'url needs the environment variable ID',
    ],
    [
      'a variable named like an object member',
      { command: '${constructor}' },
      'needs the environment variable constructor',
    ],
    ['a nested variable', { command: '${A:-${B}}' }, 'nested variables'],
    [
      "an editor's own variable",
      { command: '${config:shop.path}' },
      '"${config:shop.path}", which only its own host',
    ],
    [
      'an undefined input',
      { command: '${input:key}' },
      'needs the input key, which the file does not define',
    ],
    ['an input without the `input` option', { command: '${input:token}' }, 'give the option input'],
  ])("reports %s with the server's name, and keeps the other servers", async (_, bad, expected) => {
    const inputs = [{ type: 'promptString', id: 'token', password: true }]
    const { servers, problems } = await load('bad/mcp.json', { inputs, mcpServers: { bad, usable } })
    expect(Object.keys(servers)).toEqual(['usable'])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ severity: 'error', server: 'bad' })
    expect(problems[0]?.message).toMatch(/^The server "bad"/)
    expect(problems[0]?.message).toContain(expected)
    expect(JSON.stringify(problems)).not.toContain('hush')
  })

  it('reports an input that has neither a value nor a default', async () => {
    const content = { inputs: [{ id: 'token' }], mcpServers: { bad: { command: '${input:token}' }, usable } }
    const { servers, problems } = await load('input.json', content, { input: () => undefined })
    expect(Object.keys(servers)).toEqual(['usable'])
    expect(problems[0]?.message).toBe('The server "bad": command needs the input token, which was not given')
  })

  it('reports a name that appears in both lists of servers', async () => {
    const { servers, problems } = await load('both.json', { mcpServers: { usable }, servers: { usable } })
    expect(Object.keys(servers)).toEqual(['usable'])
    expect(problems[0]?.message).toBe('The server "usable" appears twice')
  })
})

describe('loadConfig', () => {
  it('ignores and reports unknown fields', async () => {
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

  it('lists disabled servers without asking for their inputs', async () => {
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

  it("does not expand variables that are defined only in the server's env", async () => {
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

  it('does not expand variables within the values of variables', async () => {
    const { servers } = await load(
      'once.json',
      { mcpServers: { a: { command: '${A}' } } },
      { env: { A: '${B}', B: 'b' } },
    )
    expect(servers['a']).toMatchObject({ command: '${B}' })
  })

  it('treats unclosed variables as plain text, in linear time', async () => {
    const command = '${'.repeat(1_000_000)
    const start = process.cpuUsage()
    const { servers } = await load('endless.json', { mcpServers: { a: { command: 'x', args: [command] } } })
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000)
    expect(servers['a']).toMatchObject({ args: [command] })
  })

  it('accepts names such as __proto__ and constructor as server names', async () => {
    const { servers } = await load(
      'names.json',
      '{"mcpServers":{"__proto__":{"command":"a"},"constructor":{"command":"b"}}}',
    )
    expect(Object.keys(servers)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(servers)).toBe(Object.prototype)
  })
})

describe('the `parse` option', () => {
  it('is called to parse the file', async () => {
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

  it('may throw its own error', async () => {
    const fault = new SyntaxError('no')
    const parse = (): never => {
      throw fault
    }
    await expect(load('names.txt', 'shop', { parse })).rejects.toBe(fault)
  })
})

describe('loadConfig with an invalid or unusual file', () => {
  it.each<[string, string | Uint8Array, string]>([
    [
      'is not JSON',
      '{\n  "mcpServers": { "a": { "env": { "KEY": hush } } }\n}',
      'is not valid JSON: see line 2, column 42',
    ],
    ['ends early', '{"mcpServers": {"a": "hush"', 'is not valid JSON'],
    ['is empty', '', 'is not valid JSON'],
    ['is nested 200,000 deep', '['.repeat(200_000), 'is nested too deeply'],
    ['is a list', '["hush"]', 'is not an object'],
    ['has no servers', '{"hush": {}}', 'has neither mcpServers nor servers'],
    ['has a list of servers', '{"mcpServers": ["hush"]}', 'has a list of servers that is not an object'],
    ['is UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00]), 'is not UTF-8'],
    ['is too long', `{"mcpServers": {}}${' '.repeat(1000)}`, 'is longer than 1000 bytes'],
  ])('throws if the file %s', async (_, content, expected) => {
    const max = expected.includes('longer') ? { maxBytes: 1000 } : {}
    const error = await load('broken.json', content, max).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigFileError)
    expect((error as ConfigFileError).message).toContain(`broken.json ${expected}`)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hush')
  })

  it('throws if the file does not exist', async () => {
    await expect(loadConfig(join(folder, 'nowhere.json'))).rejects.toThrow(
      'nowhere.json cannot be read: ENOENT',
    )
  })

  it.each([
    ['a named pipe', (path: string) => execFileSync('mkfifo', [path], { stdio: 'ignore' })],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('throws immediately if the path is %s', async (what, create) => {
    const path = join(folder, `${what}.json`)
    create(path)
    await expect(loadConfig(path)).rejects.toThrow(`${what}.json is a pipe or a device, not a file`)
    const { problems } = await load('env.json', { servers: { a: { command: 'x', envFile: path } } })
    expect(problems).toMatchObject([
      { field: 'envFile', message: expect.stringContaining('is a pipe or a device') },
    ])
  })

  it('reads from a pipe that the shell passes as a file descriptor', async () => {
    const path = join(folder, 'substitution')
    execFileSync('mkfifo', [path], { stdio: 'ignore' })
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const writer = openSync(path, 'w')
    writeSync(writer, '{"servers": {}}')
    await expect(loadConfig(`/dev/fd/${reader}`, { maxBytes: 10 })).rejects.toThrow('longer than 10 bytes')
    closeSync(writer)
    closeSync(reader)
  })

  it('reads a file of exactly `maxBytes` bytes', async () => {
    const text = '{"mcpServers":{}}'
    expect((await load('exact.json', text, { maxBytes: text.length })).servers).toEqual({})
    await expect(load('exact.json', text, { maxBytes: text.length - 1 })).rejects.toThrow(
      'is longer than 16 bytes',
    )
  })

  it('rejects with the error that the `input` function throws', async () => {
    const content = { inputs: [{ id: 'token' }], servers: { a: { command: '${input:token}' } } }
    const input = (): never => {
      throw new Error('The user has left')
    }
    await expect(load('left.json', content, { input })).rejects.toThrow('The user has left')
  })
})
