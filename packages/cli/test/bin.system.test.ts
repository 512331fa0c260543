/**
 * Runs the built command in its own process: with each kind of file, with every tool of a server, and with
 * questions in a real terminal.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { logLines } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BIN, fixture, runBin } from './support/bin.ts'
import { serveEverything } from './support/serve.ts'

const example = (name: string): string =>
  fileURLToPath(new URL(`../../../apps/examples/src/quickstart/${name}.ts`, import.meta.url))
const everything = fileURLToPath(new URL('../../../apps/everything/dist/main.js', import.meta.url))

describe('jetway', () => {
  it.each([
    ['a file that exports a server', ['call', fixture('definition'), 'hello'], 'Hello\n'],
    [
      'a file with --export',
      ['list', fixture('definition'), '--export', 'other'],
      'other 2.0.0 (2026-07-28)\n',
    ],
    ['a file that serves stdio', ['call', example('hello-stdio'), 'hello'], 'Hello, world\n'],
    ['a file that listens', ['list', example('quickstart')], /^dice 1\.0\.0/],
    ['a file that looks for a free port first', ['call', everything, 'echo', 'text=a'], 'a\n'],
    ['a file as a command', ['call', 'echo', 'text=a', '--', process.execPath, everything, '--stdio'], 'a\n'],
  ])('runs %s', async (_, argv, stdout) => {
    expect(await runBin(argv)).toMatchObject({
      exitCode: 0,
      stdout: typeof stdout === 'string' ? stdout : expect.stringMatching(stdout),
    })
  })

  it('exits with code 4 if the file throws', async () => {
    expect(await runBin(['list', fixture('broken')])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('This file is broken'),
    })
  })
})

/** The arguments of each tool, and exit codes other than 0. Questions are declined, because there is no terminal. */
const CALLS: Readonly<Record<string, { readonly words?: readonly string[]; readonly exitCode?: number }>> = {
  test_error_handling: { exitCode: 5 },
  json_schema_2020_12_tool: { exitCode: 5 },
  echo: { words: ['text=a'] },
  statistics: { words: ['numbers:=[1,2]'] },
  squares: { words: ['count=3'] },
  routed: { words: ['region=eu'] },
  wait_for_cancellation: { words: ['key=a', '--timeout', '1'], exitCode: 1 },
  outcome_of_wait: { words: ['key=a'] },
  test_sampling: { words: ['prompt=a'], exitCode: 1 },
  test_elicitation: { words: ['message=a'] },
  test_elicitation_sep1330_enums: { exitCode: 5 },
  test_missing_capability: { exitCode: 1 },
  slow_compute: { words: ['seconds=0.1'] },
  failing_job: { exitCode: 5 },
  protocol_error_job: { exitCode: 1 },
  confirm_delete: { exitCode: 5 },
  multi_input: { exitCode: 5 },
  test_tool_with_task: { exitCode: 5 },
  greet: { words: ['name=a'] },
  add_tool: { words: ['name=a'] },
  remove_tool: { words: ['name=a'] },
  add_resource: { words: ['name=a'] },
  remove_resource: { words: ['name=a'] },
  add_prompt: { words: ['name=a'] },
  remove_prompt: { words: ['name=a'] },
  test_input_required_result_elicitation: { exitCode: 5 },
  test_input_required_result_sampling: { exitCode: 1 },
  test_input_required_result_multiple_inputs: { exitCode: 1 },
  test_input_required_result_multi_round: { exitCode: 5 },
  test_input_required_result_request_state: { exitCode: 5 },
  test_input_required_result_tampered_state: { exitCode: 5 },
  test_input_required_result_capabilities: { exitCode: 5 },
}

it('jetway call can call every tool of server-everything', async () => {
  const logger = logLines()
  const url = await serveEverything({ logger })
  const { tools } = JSON.parse((await runBin(['list', url, '--json'])).stdout) as {
    tools: { name: string }[]
  }
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(CALLS)))
  const codes: Record<string, number> = {}
  // The tools are called one after another, because some of them change the lists.
  for (const name of names)
    codes[name] = (await runBin(['call', url, name, ...(CALLS[name]?.words ?? [])])).exitCode
  expect(codes).toEqual(Object.fromEntries(names.map((name) => [name, CALLS[name]?.exitCode ?? 0])))
  for (const line of logger.lines) expect(line).toContain('A handler failed')
})

describe('jetway in a terminal', () => {
  /** The `script` program of util-linux, which every Debian includes, provides a pseudo-terminal. */
  const inTerminal = (argv: readonly string[]): { child: ChildProcess; output: () => string } => {
    const command = [process.execPath, BIN, ...argv].map((word) => `'${word}'`).join(' ')
    const env = { ...process.env, CI: '', NO_COLOR: '1' }
    const child = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    return { child, output: () => text }
  }

  it("forwards the server's questions to the user", async () => {
    const { child, output } = inTerminal(['call', fixture('definition'), 'rename'])
    const exit = once(child, 'exit')
    await vi.waitFor(() => expect(output()).toMatch(/Which name\?[\s\S]*name \(string; required\)[\s\S]*> /))
    child.stdin?.write('Ann\n')
    expect(await exit).toEqual([0, null])
    expect(output()).toContain('Renamed to Ann')
  })

  it('declines a question if the user enters /decline', async () => {
    const { child, output } = inTerminal(['call', fixture('definition'), 'rename'])
    const exit = once(child, 'exit')
    await vi.waitFor(() => expect(output()).toContain('> '))
    child.stdin?.write('/decline\n')
    expect(await exit).toEqual([5, null])
  })

  it('declines all questions with --yes', async () => {
    const { child, output } = inTerminal(['call', fixture('definition'), 'rename', '--yes'])
    expect(await once(child, 'exit')).toEqual([5, null])
    expect(output()).toContain('declined, because')
  })

  it('stops the command and its server if the user presses Ctrl-C at a question', async () => {
    const { child, output } = inTerminal(['call', fixture('definition'), 'rename'])
    const exit = once(child, 'exit')
    await vi.waitFor(() => expect(output()).toContain('> '))
    child.stdin?.write('\u0003')
    expect(await exit).toEqual([130, null])
  })
})
