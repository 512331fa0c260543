import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { ConnectionClosedError, RequestTimeoutError } from '../../src/errors.ts'
import type { ClientEvents } from '../../src/client/events.ts'
import type { ClientOptions } from '../../src/options/options.ts'
import { childProcess } from '../../src/stdio/child-process.ts'
import { ProcessExitError } from '../../src/stdio/errors.ts'
import type { ChildProcessOptions } from '../../src/stdio/options.ts'

const SERVER = fileURLToPath(new URL('support/hostile-server.mjs', import.meta.url))
const MEBIBYTE = 1024 * 1024
const DONE = { content: [{ type: 'text', text: 'done' }] }

async function connect(
  options: Partial<ChildProcessOptions> & { readonly mode?: string } = {},
  more: ClientOptions = {},
) {
  const { mode, ...rest } = options
  const client = new Client({ name: 'faults', version: '1' }, { revisions: ['2025-11-25'], ...more })
  onTestFinished(async () => {
    await client.close()
    expect(client.stats().pending).toBe(0)
  })
  const closed: ClientEvents['close'][] = []
  const errors: Error[] = []
  client.on('close', (close) => void closed.push(close))
  client.on('error', (error) => void errors.push(error))
  await client.connect(
    childProcess({
      command: process.execPath,
      args: mode === undefined ? [SERVER] : [SERVER, mode],
      stderr: 'ignore',
      stop: { inputMs: 200, signal: 'SIGTERM', signalMs: 200 },
      ...rest,
    }),
  )
  return { client, closed, errors }
}

/** Runs the garbage collector. */
const collect = (() => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
})()
function kept(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const program = (script: string): Partial<ChildProcessOptions> => ({ args: ['-e', script] })

describe('connecting to a process that exits before it responds', () => {
  test('rejects with the exit code and the last lines of stderr', async () => {
    const script = `for (let i = 0; i < 30; i++) console.error('line ' + i)
      console.error('\\u001b[31mNo API key: ' + 'x'.repeat(5_000))
      process.exitCode = 3`
    const failure = await connect(program(script)).catch((error: unknown) => error as Error)
    const message = failure instanceof Error ? failure.message : ''
    expect(message).toMatch(/^initialize: the connection ended .*ended with code 3\. The last lines/)
    expect(message).toContain('line 29\n\uFFFD[31mNo API key')
    expect(message.length).toBeLessThan(1_000)
  })

  test.for([
    ['process.exitCode = 0', 'ended with code 0'],
    ["process.kill(process.pid, 'SIGTERM')", 'ended by SIGTERM'],
  ] as const)('rejects with the reason for the exit: %s', async ([script, end]) => {
    for (const revisions of [['2025-11-25'], ['2026-07-28']] as const)
      await expect(connect(program(script), { revisions })).rejects.toThrow(end)
  })
})

test('a client quotes an invalid line from stdout in its error message', async () => {
  const script =
    "console.log('Listening on\\u001b[1m 3000, ' + 'x'.repeat(500)); setInterval(() => {}, 1_000)"
  const client = new Client({ name: 'faults', version: '1' })
  onTestFinished(() => client.close())
  const errors: Error[] = []
  client.on('error', (error) => void errors.push(error))
  const target = childProcess({ command: process.execPath, args: ['-e', script], stop: 'interrupt' })
  const connecting = client.connect(target).catch(() => {})
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  expect(errors[0]?.message).toContain('not valid JSON: "Listening on\uFFFD[1m 3000, x')
  expect(errors[0]?.message.length).toBeLessThan(300)
  await client.close()
  await connecting
})

describe('pending calls', () => {
  test('reject with the signal that killed the process', async () => {
    const { client, closed } = await connect()
    const calls = Array.from({ length: 10 }, () => client.callTool('silent').catch((error: unknown) => error))
    calls.push(client.callTool('kill').catch((error: unknown) => error))
    for (const error of await Promise.all(calls)) {
      expect(error).toBeInstanceOf(ConnectionClosedError)
      expect(error).toMatchObject({ code: 'closed', cause: { exitCode: null, signal: 'SIGKILL' } })
    }
    expect(closed).toEqual([{ kind: 'error', error: expect.any(ProcessExitError) }])
    expect(await client.closed).toBe(closed[0])
    expect(client.isAlive).toBe(false)
    await expect(client.callTool('hello')).rejects.toThrow(ConnectionClosedError)
  })

  test('reject if the process exits in the middle of a response', async () => {
    const { client, closed } = await connect()
    const waiting = client.callTool('silent').catch((error: unknown) => error)
    await expect(client.callTool('exit')).rejects.toMatchObject({ code: 'invalid-response' })
    expect(await waiting).toMatchObject({ code: 'closed', cause: { exitCode: 7, signal: null } })
    expect(closed).toHaveLength(1)
  })
})

describe('a process that neither reads nor responds', () => {
  test.for(['mute', 'deaf'])('makes connect time out if the process is %s', async (mode) => {
    await expect(connect({ mode }, { connectTimeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' })
  })

  test('blocks neither calls nor close', async () => {
    const { client, closed } = await connect()
    const options = { timeoutMs: 100 }
    const first = client.callTool('deaf', {}, options).catch((error: unknown) => error)
    const big = { text: 'x'.repeat(MEBIBYTE) }
    const calls = Array.from({ length: 8 }, () =>
      client.callTool('hello', big, options).catch((error: unknown) => error),
    )
    for (const error of await Promise.all([first, ...calls]))
      expect(error).toBeInstanceOf(RequestTimeoutError)
    expect(closed).toEqual([])
    await client.close()
    expect(closed).toEqual([{ kind: 'end' }])
  })
})

describe('a client that receives a flood of output', () => {
  test('delivers all notifications and progress in order', async () => {
    const { client, errors } = await connect()
    let heard = 0
    let inOrder = true
    client.on('log', ({ data }) => {
      inOrder &&= String(data).startsWith(`${heard} `)
      heard++
    })
    await client.callTool('notifications', { count: 1_000 })
    const before = kept()
    heard = 0
    expect(await client.callTool('notifications', { count: 50_000 })).toEqual(DONE)
    expect([heard, inOrder]).toEqual([50_000, true])
    let reports = 0
    const onProgress = (): void => void reports++
    expect(await client.callTool('progress', { count: 50_000 }, { onProgress })).toEqual(DONE)
    expect(reports).toBe(50_000)
    expect(kept() - before).toBeLessThan(8 * MEBIBYTE)
    expect(errors).toEqual([])
  })

  test('receives a response to each request', async () => {
    const { client, errors } = await connect()
    expect(await client.callTool('requests', { count: 2_000 })).toEqual(DONE)
    expect(errors).toEqual([])
  })

  test('keeps the connection open despite invalid messages', async () => {
    const { client, errors, closed } = await connect()
    expect(await client.callTool('garbage', { count: 100 })).toEqual(DONE)
    expect(client.stats().ignored.malformed).toBe(600)
    expect(errors).toHaveLength(600)
    expect(closed).toEqual([])
  })

  test('truncates long lines on stderr', async () => {
    const lines: string[] = []
    let longest = 0
    const { client } = await connect({
      stderr: (line) => {
        longest = Math.max(longest, line.length)
        if (lines.push(line) > 10) lines.shift()
      },
    })
    const before = kept()
    expect(await client.callTool('stderr', { mebibytes: 48 })).toEqual(DONE)
    await vi.waitFor(() => expect(lines.at(-1)).toBe('line 999'))
    expect(longest).toBeLessThanOrEqual(8_192)
    expect(kept() - before).toBeLessThan(8 * MEBIBYTE)
  })

  test('buffers an endless line only up to the limit', async () => {
    const marks: number[] = []
    const { client, errors } = await connect({
      maxLineBytes: 2 * MEBIBYTE,
      stderr: () => void marks.push(kept()),
    })
    const before = kept()
    expect(await client.callTool('line', { mebibytes: 96 })).toEqual(DONE)
    await vi.waitFor(() => expect(marks).toHaveLength(12))
    for (const mark of marks) expect(mark - before).toBeLessThan(24 * MEBIBYTE)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(`longer than ${2 * MEBIBYTE} bytes`),
    ])
  })
})
