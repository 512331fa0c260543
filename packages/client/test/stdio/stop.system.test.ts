import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { program } from '@jetway-tools/runtimes/program'
import { describe, expect, test, vi } from 'vitest'
import type { ChildProcessLike, Spawn } from '../../src/stdio/options.ts'
import { connectAndClose } from './support/rounds.ts'
import { runs, start } from './support/processes.ts'

const HURRY = { inputMs: 100, signal: 'SIGTERM', signalMs: 100 } as const
const pidOf = async (message: () => Promise<unknown>): Promise<number> =>
  ((await message()) as { readonly pid: number }).pid
/** On a busy machine, a killed process runs until the kernel has time to end it. */
const expectEnd = (pid: number): Promise<void> => expect.poll(() => runs(pid)).toBe(false)

describe('close, https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio', () => {
  test('stops a cooperative server by closing its stdin', async () => {
    const signals: string[] = []
    const { transport, closed } = await start(['echo'], { stderr: (line) => signals.push(line) })
    const pid = transport.pid as number
    await transport.close()
    await expectEnd(pid)
    expect(signals).toEqual([])
    expect(await closed).toEqual({ kind: 'end' })
  })

  test.for([
    ['SIGTERM', { inputMs: 20, signal: 'SIGTERM', signalMs: 20_000 }],
    ['SIGINT', 'interrupt'],
  ] as const)('sends %s once to a server that keeps running', async ([signal, stop]) => {
    const signals: string[] = []
    const { transport, message } = await start(['polite'], { stop, stderr: (line) => signals.push(line) })
    const pid = await pidOf(message)
    await transport.close()
    await expect.poll(() => signals).toEqual([signal])
    await expectEnd(pid)
  })

  test.for([
    ['kills a server that ignores signals', ['stubborn']],
    ['ends the server behind a wrapper', ['wrapper', 'wrapper', 'stubborn']],
    ['ends a detached server with a different environment', ['unmarked', 'wrapper', 'stubborn']],
    ['ends a detached server whose parent has exited', ['detached', 'stubborn']],
  ] as const)('%s, even if called twice', async ([, args]) => {
    const { transport, message } = await start(args, { stop: HURRY })
    const pid = await pidOf(message)
    await Promise.all([transport.close(), transport.close()])
    await expectEnd(pid)
  })

  test('stops a server whose wrapper was killed', async () => {
    const { transport, message, closed } = await start(['wrapper', 'stubborn'], { stop: HURRY })
    const pid = await pidOf(message)
    process.kill(transport.pid as number, 'SIGKILL')
    expect(await closed).toMatchObject({ kind: 'error', error: { signal: 'SIGKILL' } })
    await transport.close()
    await expectEnd(pid)
  })

  test('leaves no process behind after 20 connections', async () => {
    expect(await connectAndClose(20)).toEqual([])
  })
})

describe('a process started by a custom spawn function', () => {
  test('is never signalled by its pid', async () => {
    const kill = vi.spyOn(process, 'kill')
    let asked: Parameters<Spawn> | undefined
    let theirs: ReturnType<typeof spawn> | undefined
    const { transport } = await start(['stubborn'], {
      stop: HURRY,
      spawn: (...request) => {
        asked = request
        const [command, args, { env }] = request
        theirs = spawn(command, [...args], { env, stdio: ['pipe', 'pipe', 'ignore'] })
        return Object.defineProperty(theirs, 'pid', { value: process.pid }) as ChildProcessLike
      },
    })
    const ended = once(theirs as ReturnType<typeof spawn>, 'exit')
    await transport.close()
    await ended
    expect(asked?.[0]).toBe(process.execPath)
    expect(kill).not.toHaveBeenCalled()
    kill.mockRestore()
  })
})

test('the transport stops its server if the host exits without closing the transport', async ({
  onTestFinished,
}) => {
  const file = new URL('./support/careless-host.ts', import.meta.url)
  const host = spawn(process.execPath, program(file), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void host.kill('SIGKILL'))
  let output = ''
  host.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(host, 'close')
  const pid = Number(output)
  expect(pid).toBeGreaterThan(0)
  await vi.waitFor(() => expect(runs(pid)).toBe(false), { timeout: 10_000 })
})
