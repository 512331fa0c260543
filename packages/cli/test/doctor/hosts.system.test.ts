/** Hosts' configurations whose servers are started, each with the finding that names the fault. */
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { createHome } from '../install/support/home.ts'
import { type Broken, claude, CURSOR, cursor, diagnose, expectFinding } from './support/doctor.ts'
import { fakeNode, server } from './support/servers.ts'

const CLAUDE_LOG = '.config/Claude/logs/mcp-server-shop.log'

const BROKEN: Readonly<Record<string, Broken>> = {
  "a version manager's Node.js": {
    ...cursor(
      { command: '~/.nvm/bin/node', args: ['~/server.cjs'] },
      { '.nvm/bin/node': fakeNode('20.20.0'), 'server.cjs': server() },
    ),
    check: 'command',
    verdict: 'warning',
    evidence: /\.nvm\/bin\/node belongs to one version/,
    advice: /stays/,
  },
  'a variable that only the shell has': {
    ...cursor(
      { command: process.execPath, args: ['~/server.cjs'] },
      { 'server.cjs': server('if (!process.env.REGION) throw new Error("REGION is not set")') },
    ),
    env: { REGION: 'north' },
    check: 'start',
    verdict: 'fault',
    evidence: /REGION is not set[^]*With your variable REGION/,
    advice: /"env" of the entry/,
  },
  "errors in Claude Desktop's log": {
    ...claude(
      { command: process.execPath, args: ['~/server.cjs'] },
      {
        'server.cjs': server(),
        [CLAUDE_LOG]: '[shop] [info] Initializing server...\n[shop] [error] spawn npx ENOENT\n',
      },
    ),
    check: 'log',
    verdict: 'warning',
    evidence: /spawn npx ENOENT/,
    advice: /restart of Claude Desktop/,
  },
}

it.each(Object.entries(BROKEN))('jetway doctor reports %s', (_, broken) => expectFinding(broken))

it('jetway doctor finds no faults in a server started by an app', async () => {
  const { findings, exitCode } = await diagnose({
    ...claude(
      { command: process.execPath, args: ['~/server.cjs'] },
      {
        'server.cjs': server(),
        [CLAUDE_LOG]: '[shop] [error] old\n[shop] [info] Initializing server...\n',
      },
    ),
  })
  const checks = [
    'file',
    'entry',
    'command',
    'script',
    'node',
    'start',
    'first-answer',
    'stdout',
    'shutdown',
    'log',
  ]
  expect(findings.filter(({ check, verdict }) => checks.includes(check) && verdict !== 'ok')).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(checks))
  expect(exitCode).toBe(0)
})

it('jetway doctor reads a file in the home folder only once', async () => {
  const home = await createHome()
  await home.write(CURSOR, '{"mcpServers":{"shop":{"command":"/missing"}}}')
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(home.path('.'))
  const { stdout } = await home.run('doctor', '--host', 'cursor')
  expect(stdout.match(/^cursor:shop$/gm)).toHaveLength(1)
  expect(stdout).not.toContain('and not that of')
})

it('jetway doctor does not print the secrets of an entry', async () => {
  const secret = 'sk-very"secret'
  const { stdout, stderr, findings } = await diagnose(
    claude(
      { command: process.execPath, args: ['~/server.cjs'], env: { KEY: secret } },
      {
        'server.cjs': server(
          'console.log(process.env.KEY); console.error("Error: " + process.env.KEY); process.exit(1)',
        ),
        [CLAUDE_LOG]: `[shop] [error] bad key ${secret}\n`,
      },
    ),
  )
  const masked = findings.filter(({ evidence }) => evidence.includes('***'))
  expect(masked.map(({ check }) => check)).toEqual(['start', 'stdout', 'log'])
  expect(stdout + stderr).not.toMatch(/very|sk-/)
})
