import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, readdir, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { backupsOf, readState } from '../../src/install/file.ts'
import { createHome, type Home } from './support/home.ts'

const URL_TARGET = 'https://example.com/mcp'
const CURSOR = '.cursor/mcp.json'
const ENTRY = { mcpServers: { 'example-com': { url: URL_TARGET } } }

const homeWith = async (text: string, file = CURSOR): Promise<Home> => {
  const home = await createHome()
  await home.write(file, text)
  return home
}

describe("jetway install with a host's config file", () => {
  it('leaves a file that is not UTF-8 unchanged', async () => {
    const home = await homeWith('')
    await writeFile(home.path(CURSOR), new Uint8Array([0x7b, 0xff, 0x7d]))
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({
      exitCode: 1,
      stderr: `error: ${home.path(CURSOR)} is not UTF-8\nNothing was changed\n`,
    })
  })

  it('fails if the file is a directory', async () => {
    const home = await createHome()
    await mkdir(home.path(CURSOR), { recursive: true })
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^error: Cannot read .*mcp\.json: it is a folder\nNothing was changed\n$/,
      ),
    })
  })

  it.each([
    ['a named pipe', (path: string) => execFileSync('mkfifo', [path], { stdio: 'ignore' })],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
  ])('fails immediately if the file is %s', async (_, create) => {
    const home = await homeWith('', '.cursor/x')
    create(home.path(CURSOR))
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /mcp\.json: it is a pipe or a device, not a file\nNothing was changed\n$/,
      ),
    })
  })

  it('rejects a file larger than 64 MiB without reading it', async () => {
    const home = await homeWith('{}')
    await truncate(home.path(CURSOR), 64 * 1_048_576 + 1)
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/mcp\.json: it is larger than 64 MiB\nNothing was changed\n$/),
    })
  })

  it.each([
    ['JSON', CURSOR, 'cursor', /nested more than 1000 levels deep at line 1, column \d+/],
    ['YAML', '.config/goose/config.yaml', 'goose', /nested too deeply/],
    ['TOML', '.codex/config.toml', 'codex', /cannot be read: /],
  ])('reports a %s file that is nested too deeply', async (format, file, host, message) => {
    const list = '['.repeat(20_000) + ']'.repeat(20_000)
    const text = { JSON: `{"a": ${list}}`, YAML: `a: ${list}\n`, TOML: `a = ${list}\n` }[format] ?? ''
    const home = await homeWith(text, file)
    const { exitCode, stderr } = await home.run('install', host, URL_TARGET)
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) })
    expect(stderr).not.toContain('call stack')
    expect(await home.read(file)).toBe(text)
  })

  it("reports an unreadable package.json when it needs the server's name", async () => {
    const home = await homeWith('', 'app/server.js')
    execFileSync('mkfifo', [home.path('app/package.json')], { stdio: 'ignore' })
    expect(await home.run('install', 'cursor', home.path('app/server.js'))).toMatchObject({
      exitCode: 1,
      stderr: `error: Cannot read ${home.path('app/package.json')}: it is a pipe or a device, not a file\nChoose a name for the server with --name\n`,
    })
  })

  it('fails if the parent of the file is not a directory', async () => {
    const home = await homeWith('', '.cursor')
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^error: Cannot read .*ENOTDIR/),
    })
  })

  it('creates the missing target of a symbolic link', async () => {
    const home = await homeWith('', '.cursor/x')
    await mkdir(home.path('dotfiles'))
    await symlink('../dotfiles/mcp.json', home.path(CURSOR))
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({ exitCode: 0 })
    expect(JSON.parse((await home.read('dotfiles/mcp.json')) ?? '')).toEqual(ENTRY)
    expect((await lstat(home.path(CURSOR))).isSymbolicLink()).toBe(true)
  })

  it('keeps the file mode unless the file will contain secret values', async () => {
    const home = await homeWith('{}')
    await chmod(home.path(CURSOR), 0o664)
    const mode = async (): Promise<number> => (await stat(home.path(CURSOR))).mode & 0o777
    await home.run('install', 'cursor', URL_TARGET)
    expect(await mode()).toBe(0o664)
    expect(await readState(home.path(CURSOR))).toMatchObject({ mode: 0o664, target: home.path(CURSOR) })
    await home.run('install', 'cursor', URL_TARGET, '--name', 'b', '--header', 'K: v')
    expect(await mode()).toBe(0o600)
  })

  it("lists a file's backups, newest first", async () => {
    const home = await createHome()
    const names = ['20260101T000000000Z', '20270101T000000000Z', '2027', 'x20270101T000000000Z']
    for (const name of names) await home.write(`a.json.${name}.bak`, '')
    await home.write('b.json.20270101T000000000Z.bak', '')
    expect(await backupsOf(home.path('a.json'))).toEqual(
      ['20270101T000000000Z', '20260101T000000000Z'].map((name) => home.path(`a.json.${name}.bak`)),
    )
    expect(await backupsOf(home.path('none/a.json'))).toEqual([])
  })

  it('backs up an existing file before changing it', async () => {
    const home = await homeWith('{ }')
    await home.run('install', 'cursor', URL_TARGET)
    const names = await readdir(home.path('.cursor'))
    expect(names).toEqual(['mcp.json', expect.stringMatching(/^mcp\.json\.\d{8}T\d{9}Z\.bak$/)])
    expect(await home.read(`.cursor/${names[1]}`)).toBe('{ }')
  })

  it('makes backups readable only by the owner, because they may contain a secret', async () => {
    const home = await homeWith('{ }')
    const old = `${CURSOR}.20260101T000000000Z.bak`
    await home.write(old, '{}')
    for (const file of [CURSOR, old]) await chmod(home.path(file), 0o644)
    await home.run('install', 'cursor', URL_TARGET)
    const copies = await backupsOf(home.path(CURSOR))
    expect(copies).toHaveLength(2)
    for (const copy of copies) expect((await stat(copy)).mode & 0o777).toBe(0o600)
  })

  it("preserves the file's owner, even when run as root", async () => {
    const home = await homeWith('{ }')
    const own = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
    // Only root can give a file to another user.
    const [uid = 0, gid = 0] = own[0] === 0 ? [12_345, 23_456] : own
    for (const path of ['', '.cursor', CURSOR]) await chown(home.path(path), uid, gid)
    await home.run('install', 'cursor', URL_TARGET)
    await home.run('install', 'zed', URL_TARGET)
    const [copy = ''] = await backupsOf(home.path(CURSOR))
    const created = ['.config', '.config/zed', '.config/zed/settings.json'].map(home.path)
    for (const path of [home.path(CURSOR), copy, ...created])
      expect(await stat(path), path).toMatchObject({ uid, gid })
  })
})

describe('jetway install with an existing entry', () => {
  const install = ['install', 'cursor', URL_TARGET, '--name', 'shop'] as const

  it.each([
    ['{"mcpServers":{"shop":"x"}}', 'it differs in everything'],
    ['{"mcpServers":{"shop":{"url":"x"}}}', 'it differs in url'],
    ['{"mcpServers":{"shop":{"command":"x","args":[]}}}', 'it differs in command, args, url'],
  ])('reports how the entry differs from %s', async (text, message) => {
    const home = await homeWith(text)
    const { stderr } = await home.run(...install)
    expect(stderr).toBe(
      `error: ${home.path(CURSOR)} has another entry shop; ${message}\n--force replaces it, and --name chooses another name\n`,
    )
  })

  it.each([
    ['{"mcpServers":{"shop":{"url":"x","type":"sse","disabled":true}}}', { url: URL_TARGET, disabled: true }],
  ])('replaces %s with --force', async (text, expected) => {
    const home = await homeWith(text)
    expect((await home.run(...install, '--force')).stdout).toBe(`Updated shop in ${home.path(CURSOR)}\n`)
    expect(JSON.parse((await home.read(CURSOR)) ?? '')).toEqual({ mcpServers: { shop: expected } })
  })

  it('ignores additional members in the entry', async () => {
    const home = await homeWith(`{"mcpServers":{"shop":{"url":"${URL_TARGET}","disabled":true}}}`)
    expect((await home.run(...install)).stdout).toMatch(/^Nothing to change for shop/)
    expect(await home.run('uninstall', 'cursor', URL_TARGET, '--name', 'shop')).toMatchObject({ exitCode: 0 })
    expect(await home.read(CURSOR)).toBe('{"mcpServers":{}}')
  })

  it('does not uninstall an entry that matches only by name, unless --force is set', async () => {
    const home = await homeWith('{"mcpServers":{"shop":{"url":"x"}}}')
    expect(await home.run('uninstall', 'cursor', '--name', 'shop')).toMatchObject({
      exitCode: 1,
      stderr: 'error: Without a target, --force is needed\n--force removes shop\n',
    })
  })

  it('tells the user to edit the file by hand if the entry cannot be removed', async () => {
    const home = await homeWith('extensions: {shop: {a: 1}}\n', '.config/goose/config.yaml')
    const { stderr } = await home.run('uninstall', 'goose', '--name', 'shop', '--force')
    expect(stderr).toContain('cannot be edited: extensions has another form than indented lines\n')
    expect(stderr).toContain('Edit it by hand. Nothing was changed\n')
  })
})

describe('jetway install --json', () => {
  it('reports what install and uninstall did', async () => {
    const home = await createHome()
    const path = home.path(CURSOR)
    const added = await home.run('install', 'cursor', URL_TARGET, '--header', 'K: v', '--json')
    expect({ ...JSON.parse(added.stdout), stderr: added.stderr }).toEqual({
      host: 'cursor',
      name: 'example-com',
      files: [{ path, outcome: 'added' }],
      warnings: ['The values of variables and headers are in the file. Do not share it'],
      stderr: '',
    })
    const dry = await home.run(
      'uninstall',
      'cursor',
      '--name',
      'example-com',
      '--force',
      '--dry-run',
      '--json',
    )
    expect(JSON.parse(dry.stdout)).toEqual({
      host: 'cursor',
      name: 'example-com',
      files: [{ path, outcome: 'removed', diff: expect.stringContaining(`--- ${path}`) }],
    })
    const removed = await home.run('uninstall', 'cursor', '--name', 'example-com', '--force', '--json')
    expect(JSON.parse(removed.stdout)).toEqual({
      host: 'cursor',
      name: 'example-com',
      files: [{ path, outcome: 'removed' }],
    })
  })

  it('prints no diff for --dry-run if nothing would change', async () => {
    const home = await createHome()
    await home.run('install', 'cursor', URL_TARGET)
    const { stdout } = await home.run('install', 'cursor', URL_TARGET, '--dry-run', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ path: home.path(CURSOR), outcome: 'unchanged' }],
      warnings: [],
    })
    expect(stdout).not.toContain('diff')
  })

  it('prints the URLs for --links', async () => {
    const home = await createHome()
    const { stdout } = await home.run('install', '--links', URL_TARGET, '--json')
    expect(JSON.parse(stdout)).toEqual({
      name: 'example-com',
      links: [
        { title: 'Cursor', url: expect.stringContaining('name=example-com') },
        { title: 'VS Code', url: expect.stringContaining('vscode.dev') },
      ],
    })
  })
})

describe('jetway install', () => {
  it('prints the next step unless nothing changed', async () => {
    const home = await createHome()
    expect(await home.run('install', 'cursor', URL_TARGET, '--dry-run')).toMatchObject({ stderr: '' })
    expect(await home.run('install', 'cursor', URL_TARGET)).toMatchObject({
      stderr: 'Cursor loads it by itself: see Settings, MCP\n',
    })
  })

  it('starts the program as an app would, and reports whether it responds', async () => {
    const home = await createHome()
    const code =
      'read -r line; echo \'{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}\'; cat > /dev/null'
    const answers = await home.run(
      'install',
      'cursor',
      '--name',
      'a',
      '--env',
      'K=v',
      '--',
      '/bin/sh',
      '-c',
      code,
    )
    expect(answers.stderr).toBe(
      'warning: The values of variables and headers are in the file. Do not share it\na answers\nCursor loads it by itself: see Settings, MCP\n',
    )
    const fails = await home.run(
      'install',
      'cursor',
      '--name',
      'b',
      '--json',
      '--',
      '/bin/sh',
      '-c',
      'exit 3',
    )
    expect(JSON.parse(fails.stdout)).toMatchObject({
      name: 'b',
      warnings: [],
      check: { ok: false, message: 'It ended with code 3 before it answered' },
    })
    const told = await home.run('install', 'cursor', '--name', 'c', '--', '/bin/sh', '-c', 'exit 3')
    expect(told.stderr).toContain(
      'warning: c does not answer when it is started as an app starts it. It ended',
    )
    expect(told.stderr).toContain('To find out why: jetway doctor cursor:c\n')
  })

  it.each([
    [['cursor', URL_TARGET, 'other'], 'There is one target; other is another word'],
    [['--links', 'cursor', URL_TARGET], '--links takes no host'],
    [['cursor', '--name', 'x'], 'There is no target'],
    [['claude-desktop', URL_TARGET], 'Claude Desktop takes no URL from its file'],
    [['goose', URL_TARGET, '--project'], 'Goose has no files of projects'],
  ])('rejects %j', async (argv, message) => {
    const { stderr, exitCode } = await (await createHome()).run('install', ...argv)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(argv[0] === 'claude-desktop' ? 1 : 2)
  })

  it("writes a variable's value if the host does not support variable references", async () => {
    const home = await createHome()
    const argv = ['install', 'claude-desktop', '--name', 'x', '--env', 'KEY', '--env', 'A=1', '--dry-run']
    const { stdout } = await home.runWith({ KEY: 'v3ry' }, ...argv, '--', '/bin/sh')
    expect(stdout).toMatch(/"env": \{\n\+ +"A": "\*\*\*",\n\+ +"KEY": "\*\*\*"/)
  })
})
