/** Faulty setups of local servers, each with the finding that names the fault. */
import { delimiter } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type Broken, diagnose, expectFinding, type Setup } from './support/doctor.ts'
import { fakeNode, server } from './support/servers.ts'

const WEATHER = fileURLToPath(new URL('../../../../apps/weather/src/main.ts', import.meta.url))
const NODE = [process.execPath, '--conditions=jetway:source', '--import', import.meta.resolve('tsx')]

const COMMAND = ['--', process.execPath, '~/server.cjs']
const PATH = process.env['PATH'] ?? ''

/** Returns a server whose code starts with a fault. */
const code = (before: string): Pick<Setup, 'files' | 'argv'> => ({
  files: { 'server.cjs': server(before) },
  argv: COMMAND,
})

const BROKEN: Readonly<Record<string, Broken>> = {
  'prints to stdout': {
    ...code('console.log("Loading the index")'),
    check: 'stdout',
    verdict: 'fault',
    evidence: /Loading the index\nIt is written at .*server\.cjs:1:\d+/,
    advice: /stderr/,
  },
  'prints to stdout in one of its packages': {
    files: {
      'server.cjs': server('require("noisy")'),
      'node_modules/noisy/index.js': 'process.stdout.write("[noisy] v1\\n")',
    },
    argv: COMMAND,
    check: 'stdout',
    verdict: 'fault',
    evidence: /\[noisy\] v1\nIt is written at .*node_modules\/noisy\/index\.js:1/,
    advice: /stderr/,
  },
  'ends at once': {
    ...code('console.error("No license found"); process.exit(3)'),
    check: 'start',
    verdict: 'fault',
    evidence: /code 3[^]*No license found/,
    advice: /stderr/,
  },
  'is slow': {
    ...code('const until = Date.now() + 5500; while (Date.now() < until);'),
    check: 'first-answer',
    verdict: 'warning',
    evidence: /after \d+\.\d s/,
    advice: /Answer first/,
  },
  'never answers': {
    files: { 'server.cjs': 'process.stdin.resume()' },
    argv: COMMAND,
    check: 'first-answer',
    verdict: 'fault',
    evidence: /within 10 s/,
    advice: /Answer first/,
  },
  'does not end': {
    ...code('setInterval(() => {}, 1000)'),
    check: 'shutdown',
    verdict: 'warning',
    evidence: /needed SIGTERM/,
    advice: /stdin/,
  },
  'must be killed': {
    ...code('setInterval(() => {}, 1000); process.on("SIGTERM", () => {})'),
    check: 'shutdown',
    verdict: 'fault',
    evidence: /needed SIGKILL/,
    advice: /stdin/,
  },
  'leaves a process behind': {
    ...code('require("node:child_process").spawn("sleep", ["60"], { stdio: "ignore" }).unref()'),
    check: 'shutdown',
    verdict: 'fault',
    evidence: /left sleep \(pid \d+\)/,
    advice: /End the processes/,
  },
  'needs a variable': {
    ...code('if (process.env.REGION === undefined) throw new Error("Where am I?")'),
    env: { REGION: 'north', OTHER: 'x' },
    check: 'start',
    verdict: 'warning',
    evidence: /Where am I\?[^]*With your variable REGION/,
    advice: /--env REGION/,
  },
  'needs the current folder': {
    ...code('require("node:fs").readFileSync("package.json")'),
    check: 'start',
    verdict: 'warning',
    evidence: /ENOENT[^]*In your present folder/,
    advice: /absolute/,
  },
  'needs a program in PATH': {
    files: {
      'server.cjs': server('require("node:child_process").execFileSync("my-tool")'),
      'bin/my-tool': '#!/bin/sh\n',
    },
    argv: COMMAND,
    env: { PATH: `~/bin${delimiter}${PATH}` },
    check: 'start',
    verdict: 'warning',
    evidence: /my-tool ENOENT[^]*With your PATH/,
    advice: /absolute paths/,
  },
  'needs a newer Node.js': {
    files: {
      'server.cjs': server(),
      'package.json': '{"engines":{"node":">=22.12"}}',
      'bin/node': fakeNode('20.1.0'),
    },
    argv: ['--', '~/bin/node', '~/server.cjs'],
    check: 'node',
    verdict: 'fault',
    evidence: /20\.1\.0 .*>=22\.12/,
    advice: />=22\.12/,
  },
  'is TypeScript but runs on a Node.js that does not support it': {
    files: { 'server.ts': 'const a: number = 1', 'bin/node': fakeNode('20.1.0') },
    argv: ['--', '~/bin/node', '~/server.ts'],
    check: 'node',
    verdict: 'fault',
    evidence: /server\.ts is TypeScript/,
    advice: /Build it/,
  },
  'is not built': {
    files: { 'package.json': '{"scripts":{"build":"tsc"}}' },
    argv: ['--', process.execPath, '~/dist/server.js'],
    check: 'script',
    verdict: 'fault',
    evidence: /There is no file .*dist\/server\.js/,
    advice: /npm run build/,
  },
  'has a different name': {
    files: { 'dist/server.js': '' },
    argv: ['--', process.execPath, '~/dist/sever.js'],
    check: 'script',
    verdict: 'fault',
    evidence: /There is no file .*sever\.js/,
    advice: /Did you mean .*dist\/server\.js/,
  },
}

it.each(Object.entries(BROKEN))('jetway doctor reports a server that %s', (_, broken) =>
  expectFinding(broken),
)

it('jetway doctor finds no faults in a healthy server', async () => {
  const { findings, exitCode } = await diagnose({ argv: ['--', ...NODE, WEATHER, '--stdio'] })
  expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['command', 'script', 'node', 'start', 'first-answer', 'stdout', 'shutdown']),
  )
  expect(exitCode).toBe(0)
})
