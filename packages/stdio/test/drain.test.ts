import { PassThrough, Writable } from 'node:stream'
import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ServeStdioOptions } from '../src/options.ts'
import { serveStdio } from '../src/serve.ts'

const lines = [initialize('2025-06-18', { id: 0 }), INITIALIZED, callTool('endless')]

/** Opens a connection and starts a call that never ends. */
async function running(options: ServeStdioOptions) {
  const input = new PassThrough()
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  let signal: AbortSignal | undefined
  const begun = new Promise<void>((resolve) => {
    server.addTool({
      name: 'endless',
      handler: (_args, ctx) => {
        signal = ctx.signal
        resolve()
        return new Promise<string>(() => {})
      },
    })
  })
  const handle = await serveStdio(server, { input, ...options })
  for (const line of lines) input.write(`${JSON.stringify(line)}\n`)
  await begun
  let closed = false
  void handle.closed.then(() => (closed = true))
  return { handle, input, aborted: () => signal?.aborted === true, closed: () => closed }
}

async function endOf(input: PassThrough): Promise<void> {
  const ended = new Promise((resolve) => input.once('end', resolve))
  input.end()
  await ended
}

describe('the drain period', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
  })

  it('leaves a running call 1.8 s, and its response the remaining 0.2 s', async () => {
    const { handle, input, aborted, closed } = await running({ output: new PassThrough() })
    await endOf(input)
    await vi.advanceTimersByTimeAsync(1_799)
    expect([aborted(), closed()]).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(1)
    expect(aborted()).toBe(true)
    await handle.closed
  })

  it('lasts 2 s for a client that does not read', async () => {
    const output = new Writable({ write: () => {} })
    const { handle, input, closed } = await running({ output })
    await endOf(input)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(closed()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await handle.closed
  })

  it.each([
    ['a deadline', { deadline: 1_000 }, 1_500],
    ['no deadline', undefined, 10_500],
  ])(
    'ends half a second after the deadline passed to `close` if the client does not read: %s',
    async (_what, options, ms) => {
      const output = new Writable({ write: () => {} })
      const { handle, aborted, closed } = await running({ output })
      void handle.close(options)
      await vi.advanceTimersByTimeAsync(ms - 501)
      expect(aborted()).toBe(false)
      await vi.advanceTimersByTimeAsync(500)
      expect([aborted(), closed()]).toEqual([true, false])
      await vi.advanceTimersByTimeAsync(1)
      await handle.closed
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('has the length set by `drainMs`', async () => {
    const { handle, input, aborted } = await running({ output: new PassThrough(), drainMs: 60_000 })
    await endOf(input)
    await vi.advanceTimersByTimeAsync(53_999)
    expect(aborted()).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(aborted()).toBe(true)
    await handle.closed
  })
})
