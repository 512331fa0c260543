import { relative } from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { examine } from '../../src/doctor/examine.ts'
import type { Program, ProgramSubject } from '../../src/doctor/subject.ts'
import { folderWith } from './support/programs.ts'
import { jetway, serve } from './support/remote.ts'
import { shellServer } from './support/shell.ts'

const PATH = '/usr/bin:/bin'
const LONG_TOOL = 't'.repeat(50)
const NEEDS = 'test -n "$REGION" && test -f package.json || exit 3'
const STARTED = ['start', 'first-answer', 'stdout', 'shutdown']
const SERVED = ['revisions', 'unknown-revision']
const LISTS = [
  'tool-names',
  'duplicate-names',
  'tool-descriptions',
  'tool-schemas',
  'tool-count',
  'list-size',
]

interface Given extends Partial<Program> {
  readonly startedBy?: ProgramSubject['startedBy']
  readonly name?: string
  readonly own?: Readonly<Record<string, string>>
}

async function examined({ startedBy = 'app', name = 'cursor:shop', own = {}, ...given }: Given) {
  const progress: string[] = []
  const program = { command: '/bin/sh', args: ['-c', shellServer()], env: {}, ...given }
  const findings = await examine(
    { kind: 'program', name, program, startedBy },
    { env: { PATH, ...own }, progress: (text) => progress.push(text) },
  )
  return { findings, checks: findings.map(({ check }) => check), progress }
}

describe('examine with a program', () => {
  it('runs all checks, and uses the name that the host gives the server', async () => {
    const args = ['-c', shellServer({ tools: [LONG_TOOL] })]
    const { findings, checks, progress } = await examined({ name: 'cursor:a-name-of-a-server', args })
    expect(checks).toEqual(['command', ...STARTED, ...SERVED, ...LISTS])
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toMatchObject([
      { verdict: 'warning', evidence: expect.stringContaining('mcp__a-name-of-a-server__t') },
    ])
    expect(progress[0]).toBe('Starting cursor:a-name-of-a-server')
  })

  it('does not start a program if its command is invalid', async () => {
    const { checks, progress } = await examined({ command: '/no/such/program' })
    expect({ checks, progress }).toEqual({ checks: ['command'], progress: [] })
  })

  it('does not start a program if its script is invalid', async () => {
    const { path } = folderWith({ 'bin/node': '' })
    const { checks, progress } = await examined({ command: path('~/bin/node'), args: ['/no/such/script.js'] })
    expect({ checks, progress }).toEqual({ checks: ['command', 'script'], progress: [] })
  })

  it('stops if the program fails to start', async () => {
    const { checks } = await examined({ args: ['-c', 'exit 3'] })
    expect(checks).toEqual(['command', 'start', 'stdout'])
  })

  it.each<readonly [string, Given, serves: boolean]>([
    ["gives a host in a terminal the user's environment and folder", { startedBy: 'terminal' }, true],
    ["does not give an app the user's environment and folder", { startedBy: 'app' }, false],
    [
      "does not give a program without an entry the user's environment and folder",
      { startedBy: 'user' },
      false,
    ],
    ["gives an app the entry's environment and folder", { env: { REGION: 'x' }, cwd: process.cwd() }, true],
    ["prefers the entry's variables in a terminal", { startedBy: 'terminal', env: { REGION: '' } }, false],
    ["prefers the entry's folder in a terminal", { startedBy: 'terminal', cwd: '/' }, false],
  ])('%s', async (_, given, serves) => {
    const own = { REGION: 'x' }
    const { findings } = await examined({
      args: ['-c', shellServer({ before: NEEDS, refuses: true })],
      own,
      ...given,
    })
    const started = findings.find(({ check }) => check === 'start')
    expect(started?.verdict === 'ok').toBe(serves)
  })

  it("for a program without an entry, searches the user's PATH and resolves the script in the current folder", async () => {
    const { path } = folderWith({
      'bin/node': '#!/bin/sh\nif [ "$1" = -p ]; then echo "v24.0.0 true"; else exec /bin/sh "$@"; fi\n',
      'server.js': shellServer({ refuses: true }),
    })
    const script = relative(process.cwd(), path('~/server.js'))
    const own = { PATH: `${path('~/bin')}:${PATH}` }
    const { findings } = await examined({ command: 'node', args: [script], own, startedBy: 'user' })
    expect(findings.slice(0, 4).map(({ check, verdict }) => [check, verdict])).toEqual([
      ['command', 'ok'],
      ['script', 'warning'],
      ['node', 'ok'],
      ['start', 'ok'],
    ])
    expect(findings[2]?.evidence).toContain(path('~/bin/node'))
  })
})

describe('examine with a URL', () => {
  it("includes the host's name for the server in tool names", async () => {
    const url = `${await serve(jetway({ stateless: true }))}/mcp`
    const progress: string[] = []
    const findings = await examine(
      { kind: 'url', name: 'cursor:a-name-of-a-server-that-is-so-long-that-no-tool-fits', url, headers: {} },
      { env: {}, progress: (text) => progress.push(text) },
    )
    expect(findings.find(({ check }) => check === 'tool-names')?.verdict).toBe('warning')
    expect(progress[0]).toBe(`Sending requests to ${new URL(url).origin}`)
  })

  it('stops if no client can connect', async () => {
    const url = `${await serve((_, response) => response.writeHead(403).end())}/mcp`
    const findings = await examine(
      { kind: 'url', name: '', url, headers: {} },
      { env: {}, progress: () => {} },
    )
    expect(findings.map(({ check }) => check)).toEqual(['endpoint'])
  })
})
