import { chmod, lstat, readdir, stat, symlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createHome } from './support/home.ts'

const URL_TARGET = 'https://example.com/mcp'
const CURSOR = '.cursor/mcp.json'

describe('jetway install', () => {
  it('writes a new file, and uninstall removes it', async () => {
    const home = await createHome()
    const { stdout, exitCode } = await home.run('install', 'cursor', URL_TARGET)
    expect({ stdout, exitCode }).toEqual({
      stdout: `Added example-com in ${home.path(CURSOR)}\n`,
      exitCode: 0,
    })
    expect(JSON.parse((await home.read(CURSOR)) ?? '')).toEqual({
      mcpServers: { 'example-com': { url: URL_TARGET } },
    })
    await home.run('uninstall', 'cursor', URL_TARGET)
    expect(await home.read(CURSOR)).toBeUndefined()
  })

  it.each([
    ['cursor', CURSOR, ['', '{}', '{ }', '{"mcpServers":{}}', '\uFEFF{\r\n\t"mcpServers": { }\r\n}\r\n']],
    ['codex', '.codex/config.toml', ['', '# mine', 'model = "x"\n', '[mcp_servers]\n', 'a = 1\r\n\r\n']],
    [
      'goose',
      '.config/goose/config.yaml',
      ['', '# mine\n', 'extensions: {}\n', 'extensions:\n', 'a: 1', 'a: 1\r\n'],
    ],
    ['zed', '.config/zed/settings.json', ['// Zed\n{\n  // servers\n  "context_servers": {},\n}\n']],
  ])('restores the original bytes on uninstall for %s', async (host, file, texts) => {
    for (const text of texts) {
      const home = await createHome()
      await home.write(file, text)
      expect(await home.run('install', host, URL_TARGET)).toMatchObject({ exitCode: 0 })
      expect(await home.read(file)).toContain(URL_TARGET)
      expect(await home.run('uninstall', host, URL_TARGET)).toMatchObject({ exitCode: 0 })
      expect(await home.read(file)).toBe(text)
    }
  })

  it('changes nothing when it is run again', async () => {
    const home = await createHome()
    await home.run('install', 'cursor', URL_TARGET)
    const { stdout, exitCode } = await home.run('install', 'cursor', URL_TARGET)
    expect({ stdout, exitCode }).toEqual({ stdout: expect.stringMatching(/^Nothing to change/), exitCode: 0 })
    expect(await readdir(home.path('.cursor'))).toEqual(['mcp.json'])
  })

  it('replaces a different entry only with --force, and keeps its additional members', async () => {
    const home = await createHome()
    await home.write(CURSOR, '{"mcpServers":{"shop":{"command":"x","disabled":true,"headers":{"A":"1"}}}}')
    const argv = ['install', 'cursor', URL_TARGET, '--name', 'shop', '--header', 'B: secret']
    const refused = await home.run(...argv)
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/another entry shop; .* command/),
    })
    expect(refused.stderr).not.toContain('secret')
    await home.run(...argv, '--force')
    expect(JSON.parse((await home.read(CURSOR)) ?? '')).toEqual({
      mcpServers: { shop: { disabled: true, headers: { A: '1', B: 'secret' }, url: URL_TARGET } },
    })
  })

  it('with --dry-run, prints the changes without secrets and does not apply them', async () => {
    const home = await createHome()
    const before = '{\n  "mcpServers": {\n    "a": {\n      "env": { "T": "hidden" }\n    }\n  }\n}\n'
    await home.write(CURSOR, before)
    const { stdout } = await home.run('install', 'cursor', URL_TARGET, '--header', 'K: v3ry', '--dry-run')
    expect(stdout).toMatch(/^\+ {8}"K": "\*\*\*"$/m)
    expect(stdout).not.toMatch(/v3ry|hidden/)
    expect(await home.read(CURSOR)).toBe(before)
  })

  it.each([
    ['goose', '.config/goose/config.yaml', 'extensions: {}\n'],
    ['codex', '.codex/config.toml', ''],
    ['cursor', CURSOR, '{"mcpServers": {}}'],
  ])('with --dry-run, masks a multi-line secret for %s', async (host, file, text) => {
    const home = await createHome()
    await home.write(file, text)
    const secret = '-----BEGIN KEY-----\nMIIEvQ"IBADAN\n-----END KEY-----\n'
    const { stdout } = await home.run(
      'install',
      host,
      '--name',
      'x',
      '--env',
      `K=${secret}`,
      '--dry-run',
      '--',
      'sh',
    )
    expect(stdout).toContain('***')
    expect(stdout).not.toMatch(/BEGIN|MIIE|END/)
    await home.run('install', host, '--name', 'x', '--env', `K=${secret}`, '--', '/bin/sh', '-c', 'exit 3')
    const removed = await home.run('uninstall', host, '--name', 'x', '--force', '--dry-run')
    expect(removed.stdout).toContain('sh')
    expect(removed.stdout).not.toMatch(/BEGIN|MIIE|END/)
  })

  it('with --dry-run, shows that a secret changes, but neither the old nor the new value', async () => {
    const home = await createHome()
    const entry = { url: URL_TARGET, headers: { A: 'same', B: 'previous', C: '${env:C}' } }
    await home.write(CURSOR, JSON.stringify({ mcpServers: { shop: entry } }, undefined, 2))
    const argv = ['install', 'cursor', URL_TARGET, '--name', 'shop', '--header', 'B: next'] as const
    const { stdout } = await home.run(...argv, '--force', '--dry-run')
    expect(stdout).toContain('-        "B": "*** (before)",\n')
    expect(stdout).toContain('+        "B": "*** (after)",\n')
    expect(stdout).not.toMatch(/same|previous|next/)
  })

  it.each([
    [
      'one line',
      '{"apiKey": "hidden", "mcpServers": {"a": {"env": {"T": "hidden"}}}}',
      '-…\n+…"shop": {"url":',
    ],
    [
      'an entry in one line',
      '{\n  "mcpServers": {\n    "a": {"env": {"T": "hidden"}} // hidden\n  }\n}',
      '-    …\n+    …\n+    "shop": {\n',
    ],
    ['no servers', '{\n  "apiKey": "hidden"\n}', '-  …\n+  …\n+  "mcpServers": {\n+    "shop": {\n'],
  ])('with --dry-run, prints only the changed part of a file with %s', async (_, text, expected) => {
    const home = await createHome()
    await home.write(CURSOR, text)
    const { stdout } = await home.run('install', 'cursor', URL_TARGET, '--name', 'shop', '--dry-run')
    expect(stdout).toContain(expected)
    expect(stdout).not.toContain('hidden')
  })

  it('masks secrets in an entry that the user must add by hand', async () => {
    const home = await createHome()
    await home.write('.codex/config.toml', 'mcp_servers = {}\n')
    const { stderr } = await home.run('install', 'codex', URL_TARGET, '--header', 'K: v3ry')
    expect(stderr).toContain('K = "***"')
    expect(stderr).not.toContain('v3ry')
  })

  it('preserves symbolic links and the file mode, and keeps three backups', async () => {
    const home = await createHome()
    await home.write('dotfiles/mcp.json', '{}')
    await home.write('.cursor/x', '')
    await chmod(home.path('dotfiles/mcp.json'), 0o640)
    await symlink(home.path('dotfiles/mcp.json'), home.path(CURSOR))
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await home.run('install', 'cursor', URL_TARGET, '--name', name)
    expect((await lstat(home.path(CURSOR))).isSymbolicLink()).toBe(true)
    expect((await stat(home.path('dotfiles/mcp.json'))).mode & 0o777).toBe(0o640)
    expect(await readdir(home.path('dotfiles'))).toHaveLength(4)
  })

  it('makes a file readable only by its owner if it contains header or variable values', async () => {
    const home = await createHome()
    await home.run('install', 'cursor', URL_TARGET, '--header', 'K: v')
    expect((await stat(home.path(CURSOR))).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['a broken file', CURSOR, '{ "a": ', 'cursor', /cannot be read: .* at line 1, column 8/],
    [
      'a file in another form',
      '.codex/config.toml',
      'mcp_servers = {}\n',
      'codex',
      /cannot be edited[\s\S]*\[mcp_servers.example-com\]/,
    ],
    [
      'a flow mapping',
      '.config/goose/config.yaml',
      'extensions: { a: 1 }\n',
      'goose',
      /cannot be edited[\s\S]*extensions:\n/,
    ],
    [
      'YAML that does not parse',
      '.config/goose/config.yaml',
      'a: [\n',
      'goose',
      /cannot be read: .* at line/,
    ],
  ])('does not change %s', async (_, file, text, host, message) => {
    const home = await createHome()
    await home.write(file, text)
    const { exitCode, stderr } = await home.run('install', host, URL_TARGET)
    expect(stderr).toMatch(message)
    expect(exitCode).toBe(1)
    expect(await home.read(file)).toBe(text)
  })

  it('leaves a read-only file unchanged', async () => {
    const home = await createHome()
    await home.write(CURSOR, '{}')
    await chmod(home.path(CURSOR), 0o444)
    const { exitCode, stderr } = await home.run('install', 'cursor', URL_TARGET)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('is read-only') })
    expect(await readdir(home.path('.cursor'))).toEqual(['mcp.json'])
  })

  it.each([
    [[], /There is no host\nName one of: claude-desktop/],
    [['curser', URL_TARGET], /Did you mean cursor\?/],
    [['cursor'], /There is no name|There is no target/],
    [['cursor', 'missing.js'], /does not exist/],
    [['cursor', URL_TARGET, '--name', 'a b'], /must be 1 to 64 letters/],
    [['cursor', URL_TARGET, '--env', 'A'], /--env needs a local server/],
    [['claude-desktop', '--env', 'UNSET_9', '--', 'node', 'x.js'], /UNSET_9 is not set/],
    [['cursor', '--', 'no-such-program-9'], /is not in PATH/],
    [['windsurf', URL_TARGET, '--project'], /has no files of projects/],
  ])('exits with a usage error for %j', async (argv, message) => {
    const home = await createHome()
    const { stderr, exitCode } = await home.run('install', ...argv)
    expect(stderr).toMatch(message)
    expect(exitCode).toBe(2)
  })

  it('prints the steps for ChatGPT', async () => {
    const home = await createHome()
    expect((await home.run('install', 'chatgpt')).stdout).toContain('developer mode')
  })
})

describe('jetway install in WSL', () => {
  const linux = { WSL_DISTRO_NAME: 'Debian', PATH: '/usr/bin' }

  it("edits a Windows host's config file so that the host starts the server through wsl.exe", async () => {
    const home = await createHome()
    await home.write('mnt/c/Users/ann/.cursor/x', '')
    const env = { ...linux, PATH: `/usr/bin:${home.path('mnt/c/Users/ann/AppData/Local/Apps')}` }
    const argv = ['install', 'cursor', '--name', 'x', '--env', 'A=1', '--', process.execPath, '-e', '0']
    const { stderr } = await home.runWith(env, ...argv)
    expect(stderr).toContain('Cursor is on Windows. It starts the server in WSL (Debian)\n')
    expect(JSON.parse((await home.read('mnt/c/Users/ann/.cursor/mcp.json')) ?? '')).toEqual({
      mcpServers: {
        x: {
          command: 'wsl.exe',
          args: ['--distribution', 'Debian', '--exec', process.execPath, '-e', '0'],
          env: { A: '1', WSLENV: 'A/u' },
        },
      },
    })
    await home.write('.cursor/x', '')
    await home.runWith(env, ...argv)
    expect(await home.read(CURSOR)).not.toContain('wsl.exe')
  })
})

describe('jetway uninstall', () => {
  it("keeps another server's entry unless --force is set", async () => {
    const home = await createHome()
    await home.run('install', 'cursor', URL_TARGET, '--name', 'shop')
    const before = await home.read(CURSOR)
    const argv = ['uninstall', 'cursor', 'https://other.example/mcp', '--name', 'shop']
    expect(await home.run(...argv)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('another server'),
    })
    expect(await home.read(CURSOR)).toBe(before)
    expect(await home.run('uninstall', 'cursor', '--name', 'shop', '--force')).toMatchObject({ exitCode: 0 })
    expect(await home.read(CURSOR)).toBeUndefined()
  })

  it('keeps changes made to the file after install', async () => {
    const home = await createHome()
    await home.write(CURSOR, '{"mcpServers": {"a": {"url": "x"}}}')
    await home.run('install', 'cursor', URL_TARGET)
    const text = await home.read(CURSOR)
    await home.write(CURSOR, text?.replace('"x"', '"y"') ?? '')
    await home.run('uninstall', 'cursor', URL_TARGET)
    expect(await home.read(CURSOR)).toBe('{"mcpServers": {"a": {"url": "y"}}}')
  })

  it('changes nothing if the entry does not exist', async () => {
    const home = await createHome()
    expect(await home.run('uninstall', 'cursor', URL_TARGET)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Nothing to remove/),
    })
  })
})

describe('jetway install --links', () => {
  it('prints badges that contain the entry but no secrets', async () => {
    const home = await createHome()
    const { stdout } = await home.run('install', '--links', '--name', 'shop', '--', 'npx', '-y', 'shop@1')
    const [cursor = '', vscode = ''] = [...stdout.matchAll(/\]\((https:[^)]+)\)$/gm)].map(([, url]) => url)
    expect(JSON.parse(atob(new URL(cursor).searchParams.get('config') ?? ''))).toEqual({
      command: 'npx',
      args: ['-y', 'shop@1'],
    })
    const inner = new URL(vscode).searchParams.get('url') ?? ''
    expect(JSON.parse(decodeURIComponent(inner.slice(inner.indexOf('?') + 1)))).toEqual({
      name: 'shop',
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'shop@1'],
    })
  })
})
