import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { checkStart } from '../../../src/doctor/local/start.ts'
import type { ProgramSubject } from '../../../src/doctor/subject.ts'
import { folderWith } from '../support/programs.ts'
import { server } from '../support/servers.ts'
import { shellServer } from '../support/shell.ts'

interface Given {
  readonly startedBy?: ProgramSubject['startedBy']
  /** The user's environment variables. */
  readonly own?: Readonly<Record<string, string>>
  /** The environment variables of the server. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly harness?: boolean
}

const APP_PATH = '/usr/bin:/bin'

function check(command: string, code: string, given: Given = {}) {
  const { startedBy = 'app', own = {}, env = {}, cwd = '/', harness = false } = given
  const option = command === process.execPath ? '-e' : '-c'
  const start = { command, args: [option, code], env: { PATH: APP_PATH, ...env }, cwd }
  return checkStart({ start, startedBy, harness }, { env: { PATH: APP_PATH, ...own }, progress: () => {} })
}

const shell = (before: string, given?: Given) => check('/bin/sh', shellServer({ before }), given)
const node = (code: string, given?: Given) => check(process.execPath, code, given)

describe('checkStart for a server that responds', () => {
  it('finds no faults', async () => {
    const { findings, serves } = await shell('')
    expect(findings.map(({ check: name, verdict }) => [name, verdict])).toEqual([
      ['start', 'ok'],
      ['first-answer', 'ok'],
      ['stdout', 'ok'],
      ['shutdown', 'ok'],
    ])
    expect(serves).toBe(true)
  })

  it('identifies the source line that prints to stdout', async () => {
    const { path } = folderWith({ 'server.cjs': server('console.log("Loading"); console.log("Ready")') })
    const start = {
      command: process.execPath,
      args: [path('~/server.cjs')],
      env: { PATH: APP_PATH, NODE_OPTIONS: '--no-warnings' },
      cwd: '/',
    }
    const { findings, serves } = await checkStart(
      { start, startedBy: 'app', harness: false },
      { env: {}, progress: () => {} },
    )
    expect(findings.find((each) => each.check === 'stdout')?.evidence).toBe(
      `This line is no message: Loading\nIt is written at Object.<anonymous> (${path('~/server.cjs')}:1:9)\nThere are 1 more`,
    )
    expect(serves).toBe(true)
  })

  it('quotes the stdout line if the program does not run on Node.js', async () => {
    const { findings } = await shell('echo Loading')
    expect(findings.find((each) => each.check === 'stdout')?.evidence).toBe(
      'This line is no message: Loading',
    )
  })
})

describe('checkStart for a server that does not respond', () => {
  const TOOL = { 'bin/tool': '#!/bin/sh\n' }
  const REGION = 'test -n "$REGION" || { echo "Where am I?" >&2; exit 3; }'
  const NAMED = 'test -n "$REGION" || { echo "REGION is not set" >&2; exit 3; }'
  const IN_ENTRY = 'Set REGION in "env" of the entry'
  const ENDED = 'As an app starts it: It ended with code 3 before it answered'

  it.each<readonly [string, string, Given, evidence: string, advice: string]>([
    [
      'one of several variables',
      REGION,
      { own: { A: '1', REGION: 'x', Z: '2' } },
      'your variable REGION',
      IN_ENTRY,
    ],
    ['the first variable', REGION, { own: { REGION: 'x', Z: '2' } }, 'your variable REGION', IN_ENTRY],
    ['the only variable', REGION, { own: { REGION: 'x' } }, 'your variable REGION', IN_ENTRY],
    ['the last variable', REGION, { own: { A: '1', REGION: 'x' } }, 'your variable REGION', IN_ENTRY],
    [
      'a variable that the server names, with another value',
      NAMED,
      { own: { A: '1', REGION: 'x' } },
      'REGION is not set\nWith your variable REGION it answers',
      IN_ENTRY,
    ],
    [
      'two variables',
      `${REGION}; test -n "$ZONE" || exit 3`,
      { own: { A: '1', REGION: 'x', ZONE: 'y' } },
      'needs several things',
      'make its paths absolute',
    ],
    [
      'a variable and the folder',
      `${REGION}; test -f package.json || exit 3`,
      { own: { REGION: 'x' } },
      'needs several things',
      'make its paths absolute',
    ],
    [
      'the current folder',
      'test -f package.json || exit 3',
      {},
      'In your present folder',
      'import.meta.dirname',
    ],
    [
      'a program of PATH',
      'tool || exit 3',
      { own: { PATH: `~/bin:${APP_PATH}` } },
      'With your PATH it answers',
      'Name programs by their absolute paths',
    ],
  ])(
    'names what the server needs but a host does not provide: %s',
    async (_, before, given, evidence, advice) => {
      const { path } = folderWith(TOOL)
      const own = Object.fromEntries(
        Object.entries(given.own ?? {}).map(([name, text]) => [name, path(text)]),
      )
      const { findings, serves } = await shell(before, { ...given, own })
      expect(findings).toEqual([
        {
          check: 'start',
          verdict: 'fault',
          evidence: expect.stringContaining(evidence),
          advice: expect.stringContaining(advice),
        },
        { check: 'stdout', verdict: 'ok', evidence: 'Each line is a message' },
      ])
      expect(findings[0]?.evidence.startsWith(ENDED)).toBe(true)
      expect(serves).toBe(false)
    },
  )

  it('warns with different advice if the server is not yet in the config of any host', async () => {
    const { findings, serves } = await shell(REGION, { startedBy: 'user', own: { REGION: 'x' } })
    expect(findings[0]).toMatchObject({
      check: 'start',
      verdict: 'warning',
      advice: 'Give it to the entry: jetway install HOST … --env REGION',
    })
    expect(serves).toBe(false)
  })

  it.each<readonly [string, Given]>([
    ["in a terminal, which provides the user's environment", { startedBy: 'terminal', own: { REGION: 'x' } }],
    ["with the user's environment either", { own: { OTHER: 'x' } }],
    ["with its entry's value", { own: { REGION: 'x' }, env: { REGION: '' } }],
  ])('quotes the error without naming a cause if the server does not start %s', async (_, given) => {
    const { findings, serves } = await shell(REGION, given)
    expect(findings).toEqual([
      {
        check: 'start',
        verdict: 'fault',
        evidence: 'It ended with code 3 before it answered\nWhere am I?',
        advice: expect.stringContaining('stderr'),
      },
      { check: 'stdout', verdict: 'ok', evidence: 'Each line is a message' },
    ])
    expect(serves).toBe(false)
  })

  it('reports a program that does not exist', async () => {
    const { findings, serves } = await check('/no/such/program', '')
    expect(findings[0]).toMatchObject({ check: 'start', evidence: 'There is no such program or folder' })
    expect(serves).toBe(false)
  })
})

describe('checkStart for a file', () => {
  const reporting = (report: object): string => `process.send(${JSON.stringify(report)})`

  it('detects a file that serves HTTP', async () => {
    const { findings, serves, trial } = await node(reporting({ serves: 'http', port: 1 }), { harness: true })
    expect(findings).toEqual([{ check: 'start', verdict: 'ok', evidence: 'It serves HTTP' }])
    expect([serves, trial.report]).toEqual([true, { serves: 'http', port: 1 }])
  })

  it('reports a file that contains no server', async () => {
    const report = { serves: 'nothing', message: 'It exports nothing', hint: 'Export a server' }
    const { findings, serves } = await node(reporting(report), { harness: true })
    expect(findings).toEqual([
      { check: 'start', verdict: 'fault', evidence: 'It exports nothing', advice: 'Export a server' },
    ])
    expect(serves).toBe(false)
  })

  it('throws a usage error if the file contains several servers', async () => {
    const report = { serves: 'unclear', message: 'There are two', hint: 'Name one' }
    await expect(node(reporting(report), { harness: true })).rejects.toMatchObject({
      code: 'usage',
      message: 'There are two',
      hint: 'Name one',
    })
  })
})
