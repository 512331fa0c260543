import { PassThrough } from 'node:stream'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serveStdio, type ServeStdioOptions, type StdioHandle } from '../src/index.ts'

const createServer = (): McpServer => new McpServer({ name: 'test', version: '1.0.0' })
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const listeners = (): number[] => SIGNALS.map((signal) => process.listenerCount(signal))

interface Served {
  readonly server: McpServer
  readonly input: PassThrough
  readonly output: PassThrough
  readonly handle: StdioHandle
}

async function serve(options: ServeStdioOptions = {}): Promise<Served> {
  const [server, input, output] = [createServer(), new PassThrough(), new PassThrough()]
  const handle = await serveStdio(server, { input, output, ...options })
  onTestFinished(() => handle.close({ deadline: 0 }))
  return { server, input, output, handle }
}

/** Records the exit codes of `process.exit`, which does not end the process. */
function exits(): unknown[] {
  const codes: unknown[] = []
  const exit = vi
    .spyOn(process, 'exit')
    .mockImplementation(((code?: number) => void codes.push(code)) as never)
  onTestFinished(() => exit.mockRestore())
  return codes
}

function stderr(): string[] {
  const texts: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => texts.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  return texts
}

describe('the `exitOnEnd` option of serveStdio', () => {
  it('closes the server and exits the process at the end of the input', async () => {
    const codes = exits()
    const { server, input, handle } = await serve({ exitOnEnd: true })
    const close = vi.spyOn(server, 'close')
    input.end()
    await handle.closed
    expect(close).toHaveBeenCalledTimes(1)
    await vi.waitFor(() => expect(codes).toEqual([undefined]))
  })

  it.each([
    ['is closed by its handle', true],
    ['is started without `exitOnEnd` and its input ends', undefined],
  ])('does not exit the process if serveStdio %s', async (_what, exitOnEnd) => {
    const codes = exits()
    const { server, input, handle } = await serve(exitOnEnd === undefined ? {} : { exitOnEnd })
    const close = vi.spyOn(server, 'close')
    if (exitOnEnd === true) await handle.close()
    else input.end()
    await handle.closed
    expect(close).not.toHaveBeenCalled()
    expect(codes).toEqual([])
  })
})

describe('serveStdio with handleSignals', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'closes on the first %s, and exits the process with code %i on the second signal',
    async (signal, code) => {
      const codes = exits()
      const before = listeners()
      const others = new Set(process.listeners(signal))
      const { handle } = await serve({ handleSignals: true })
      // Other test files in this process may also listen for the signal.
      const send = (): void => {
        for (const own of process.listeners(signal)) if (!others.has(own)) own(signal)
      }
      expect(listeners()).toEqual(before.map((count) => count + 1))
      send()
      expect(codes).toEqual([])
      send()
      expect(codes).toEqual([code])
      await handle.closed
      expect(listeners()).toEqual(before)
    },
  )
})

describe('serveStdio with guardStdout', () => {
  it('diverts writes from other code until the server closes', async () => {
    const errors = stderr()
    const warn = vi.fn<(fields: object, message: string) => void>()
    const { output, handle } = await serve({ guardStdout: true, logger: { warn } })
    output.write('stray\n')
    output.write('again\n')
    expect(errors).toEqual(['stray\n', 'again\n'])
    expect(warn.mock.calls).toEqual([[{}, expect.stringMatching(/^Something wrote to stdout/)]])
    await handle.close()
    output.write('after')
    expect(String(output.read())).toBe('after')
    expect(output.writableEnded).toBe(false)
  })

  it('warns on stderr if there is no logger', async () => {
    const errors = stderr()
    const { output } = await serve({ guardStdout: true })
    output.write('stray\n')
    expect(errors).toEqual([
      expect.stringMatching(/^\[jetway\] warn: Something wrote to stdout.*\n$/),
      'stray\n',
    ])
  })
})

describe('serveStdio with given streams', () => {
  it('throws ERR_MCP_IN_USE while another server uses one of the streams', async () => {
    const { input, output, handle } = await serve()
    const inUse = { code: 'ERR_MCP_IN_USE' }
    await expect(serveStdio(createServer(), { input, output: new PassThrough() })).rejects.toMatchObject(
      inUse,
    )
    await expect(serveStdio(createServer(), { input: new PassThrough(), output })).rejects.toMatchObject(
      inUse,
    )
    await handle.close()
    await serve({ input: new PassThrough(), output: new PassThrough() })
    await serve({ input })
  })

  it('does not change the streams if it throws', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const revisions = ['1999-01-01'] as never
    const failing = serveStdio(createServer(), { input, output, guardStdout: true, revisions })
    await expect(failing).rejects.toMatchObject({ code: 'ERR_MCP_REVISION' })
    expect(Object.hasOwn(output, 'write')).toBe(false)
    await serve({ input, output })
  })

  it('leaves one error listener per server on the output, plus a shared one', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const first = await serve({ input, output, guardStdout: true })
    await first.handle.close()
    const once = output.listenerCount('error')
    const second = await serve({ input: new PassThrough(), output, guardStdout: true })
    await second.handle.close()
    expect(output.listenerCount('error')).toBe(once + 1)
  })

  it('counts sessions and calls in stats()', async () => {
    const { handle } = await serve()
    expect(handle.stats()).toMatchObject({ sessions: 0, callsInFlight: 0 })
  })
})
