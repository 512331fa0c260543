import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { createHome, type Home } from '../install/support/home.ts'
import { diagnose, type Setup } from './support/doctor.ts'

const CURSOR = '.cursor/mcp.json'
const GONE = JSON.stringify({ mcpServers: { a: { command: '/gone/a' }, b: { command: '/gone/b' } } })

const homeWith = async (files: Readonly<Record<string, string>>): Promise<Home> => {
  const home = await createHome()
  for (const [file, text] of Object.entries(files)) await home.write(file, text)
  return home
}

describe('jetway doctor', () => {
  it.each([
    [['x.js', 'y.js'], 2, 'doctor takes one target; y.js is another word'],
    [['--host', 'cursor', 'x.js'], 2, 'Set either --host or a target, not both'],
    [['--host', 'cursor', '--config', 'x.json'], 2, 'Set either --host or a target, not both'],
    [['--host', 'cursor', '--', 'x'], 2, 'Set either --host or a target, not both'],
    [[], 1, 'No host has a file of servers here\nName a target, or add a server with jetway install'],
    [['cursr:shop'], 2, 'The host cursr is unknown'],
    [['none.js'], 2, 'The file none.js does not exist'],
  ])('rejects %j', async (argv, exitCode, message) => {
    const home = await createHome()
    expect(await home.run('doctor', ...argv)).toMatchObject({
      exitCode,
      stderr: expect.stringContaining(message),
    })
  })

  it.each([
    ['all servers of a host', ['--host', 'cursor'], ['cursor:a', 'cursor:b']],
    ['all servers of a host, named as a target', ['cursor:'], ['cursor:a', 'cursor:b']],
    ['one server of a host', ['cursor:b'], ['cursor:b']],
    ['all servers of all installed hosts', [], ['cursor:a', 'cursor:b', 'goose:c']],
  ])('examines %s', async (_, argv, names) => {
    const home = await homeWith({
      [CURSOR]: GONE,
      '.config/goose/config.yaml': 'extensions: {c: {type: stdio, cmd: /gone/c}}\n',
    })
    const { stdout, stderr, exitCode } = await home.run('doctor', ...argv)
    expect(stdout.match(/^\w+:\w+$/gm)).toEqual(names)
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 1 })
  })

  it('prints progress unless --json is set', async () => {
    const home = await createHome()
    const argv = ['doctor', '--', '/bin/sh', '-c', 'exit 3']
    const told = await home.run(...argv)
    expect(told).toMatchObject({ stderr: 'Starting sh\n', exitCode: 1 })
    expect(told.stdout).toMatch(/^sh\n {2}✓ command +\/bin\/sh\n/)
    expect(await home.run(...argv.slice(0, 1), '--json', ...argv.slice(1))).toMatchObject({
      stderr: '',
      exitCode: 1,
    })
  })

  it('masks the values of environment variables', async () => {
    const home = await homeWith({
      [CURSOR]: JSON.stringify({
        mcpServers: { a: { command: '/gone/entry-value', env: { A: 'entry-value' } } },
      }),
    })
    const { stdout } = await home.runWith({ MY_TOKEN: 'gone' }, 'doctor', 'cursor:a')
    expect(stdout).toContain('There is no file /***/***')
    const { stdout: others } = await home.run('doctor', '--', '/no/own-value')
    expect(others).toContain('/no/own-value')
  })
})

describe('jetway doctor --host', () => {
  const shown = async (setup: Setup, section: string) =>
    (await diagnose(setup)).findings.filter((finding) => finding.section.includes(section))
  const VSCODE = '.config/Code/User/mcp.json'
  const CODEX = '.codex/config.toml'

  it('skips a disabled entry', async () => {
    const files = { [CODEX]: '[mcp_servers.a]\ncommand = "/gone"\nenabled = false\n' }
    expect(await shown({ files, argv: ['--host', 'codex'] }, 'codex:a')).toEqual([
      { section: 'codex:a', check: 'entry', verdict: 'skipped', evidence: 'It is disabled' },
    ])
  })

  it('skips an entry that needs an input if there is no terminal', async () => {
    const inputs = [{ id: 'key', type: 'promptString' }]
    const files = { [VSCODE]: JSON.stringify({ inputs, servers: { a: { command: '${input:key}' } } }) }
    expect(await shown({ files, argv: ['vscode:a'] }, 'vscode:a')).toMatchObject([
      { check: 'entry', verdict: 'skipped', evidence: expect.stringContaining('needs an input') },
    ])
  })

  it('reports an entry that is overridden in a nearer file, and examines the overriding entry', async () => {
    const list = { mcpServers: { a: { command: '/gone' } } }
    const files = { '.claude.json': JSON.stringify({ ...list, projects: { [process.cwd()]: list } }) }
    const found = await shown({ files, argv: ['claude-code:a'] }, 'claude-code:a')
    expect(found.map(({ check, verdict }) => [check, verdict])).toEqual([
      ['entry', 'ok'],
      ['command', 'fault'],
      ['entry', 'warning'],
    ])
  })

  it.each([
    ['{}', 'It has no servers'],
    [GONE, 'It has a, b'],
  ])('lists the entries of a file that contains %s', async (text, evidence) => {
    expect(await shown({ files: { [CURSOR]: text }, argv: ['--host', 'cursor'] }, 'Cursor: ')).toEqual([
      {
        section: expect.stringMatching(/^Cursor: .*\.cursor\/mcp\.json$/),
        check: 'file',
        verdict: 'ok',
        evidence,
      },
    ])
  })

  it("reports a file that the host does not read, unless the host's own file has the same entries", async () => {
    const other = '.cursor/settings.json'
    const servers = { a: { command: '/gone/a' }, c: { command: '/gone/c' } }
    const files = { [CURSOR]: GONE, [other]: JSON.stringify({ mcpServers: servers }) }
    expect(await shown({ files, argv: ['--host', 'cursor'] }, other)).toMatchObject([
      {
        check: 'file',
        verdict: 'fault',
        evidence: 'Cursor does not read this file, which has c',
        advice: expect.stringMatching(/^Move them to .*\.cursor\/mcp\.json, below "mcpServers"$/),
      },
    ])
    delete (servers as Partial<typeof servers>).c
    const same = { ...files, [other]: JSON.stringify({ mcpServers: servers }) }
    expect(await shown({ files: same, argv: ['--host', 'cursor'] }, other)).toEqual([])
  })

  it('reports why a file cannot be read', async () => {
    const files = { '.cursor/mcp.json/x': '' }
    expect(await shown({ files, argv: ['--host', 'cursor'] }, 'Cursor: ')).toMatchObject([
      { check: 'file', verdict: 'fault', evidence: 'Cursor cannot read it: it is a folder' },
    ])
  })

  it('explains how to add an entry that does not exist', async () => {
    const [finding] = (await diagnose({ argv: ['cursor:shop'] })).findings
    expect(finding).toMatchObject({
      section: 'cursor:shop',
      check: 'entry',
      verdict: 'fault',
      evidence: 'Cursor has no server shop. It has no servers',
      advice: 'Add it: jetway install cursor server.js --name shop',
    })
  })
})
