import { describe, expect, it } from 'vitest'
import { serveTransport } from '../../src/duplex/connection.ts'
import type { MethodEntry } from '../../src/call/method-table.ts'
import { complete } from '../../src/call/result.ts'
import { initialize, settled } from '@jetway-apps/test-support'
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts'
import { ScriptedTransport } from '../support/transport.ts'

interface Frame {
  readonly id?: unknown
  readonly method?: string
}

class ByteStream extends ScriptedTransport {
  readonly lengths: number[] = []

  constructor() {
    super({ byteStream: true })
  }

  override send(message: string): void {
    this.lengths.push(message.length)
    void super.send(message)
  }

  /** The methods or ids of the messages sent so far. */
  get order(): readonly unknown[] {
    return (this.sent as Frame[]).map(({ id, method }) => method ?? id)
  }

  get pings(): readonly Frame[] {
    return (this.sent as Frame[]).filter(({ method }) => method === 'ping')
  }

  pong(): void {
    void this.receive({ jsonrpc: '2.0', id: this.pings.at(-1)?.id, result: {} })
  }
}

const reporting: MethodEntry = {
  handle: async (_, ctx) => {
    await ctx.progress(1)
    return complete({ content: [] })
  },
}

const PROGRESS = 'notifications/progress'
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const call = (id: number, meta: object = { progressToken: id }): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'a', _meta: meta },
})

async function open(
  entry: MethodEntry = reporting,
): Promise<{ transport: ByteStream; runtime: TestRuntime; close: () => Promise<void> }> {
  const runtime = createTestRuntime({ 'tools/call': entry })
  const transport = new ByteStream()
  const connection = serveTransport(runtime, transport)
  await transport.receive(initialize('2025-03-26', { id: 'init' }))
  transport.sent.length = 0
  transport.lengths.length = 0
  return { transport, runtime, close: () => connection.close() }
}

describe('a response sent after progress notifications on a byte stream', () => {
  it('waits until the client responds to a ping', async () => {
    const { transport, runtime } = await open()
    void transport.receive(call(1))
    await settled()
    expect(transport.order).toEqual([PROGRESS, 'ping'])
    transport.pong()
    await settled()
    expect(transport.order).toEqual([PROGRESS, 'ping', 1])
    expect(runtime.refusals.snapshot()).toEqual({})
  })

  it('waits even if the handler did not await the progress', async () => {
    const { transport } = await open({
      handle: (_, ctx) => {
        void ctx.progress(1)
        return complete({ content: [] })
      },
    })
    void transport.receive(call(1))
    await settled()
    expect(transport.order).toEqual([PROGRESS, 'ping'])
  })

  it('waits in a batch', async () => {
    const { transport } = await open()
    void transport.receive([call(1)])
    await settled()
    transport.pong()
    await settled()
    expect(transport.sent.at(-1)).toMatchObject([{ id: 1, result: {} }])
  })

  it('does not delay other responses', async () => {
    const { transport } = await open()
    void transport.receive(call(1))
    void transport.receive({ jsonrpc: '2.0', id: 2, method: 'ping' })
    await settled()
    expect(transport.order).toEqual([PROGRESS, 2, 'ping'])
  })

  it('is sent after 1 s without a pong, and later responses then wait only 20 ms', async () => {
    const { transport, runtime } = await open()
    void transport.receive(call(1))
    await settled()
    await runtime.clock.advance(999)
    expect(transport.order).not.toContain(1)
    await runtime.clock.advance(1)
    expect(transport.order).toContain(1)
    void transport.receive(call(2))
    await settled()
    await runtime.clock.advance(19)
    expect(transport.order).not.toContain(2)
    await runtime.clock.advance(1)
    expect(transport.order).toEqual([PROGRESS, 'ping', 1, PROGRESS, 2])
  })

  it('waits for a pong again after the client has sent a late pong', async () => {
    const { transport, runtime } = await open()
    void transport.receive(call(1))
    await settled()
    await runtime.clock.advance(1_000)
    transport.pong()
    void transport.receive(call(2))
    await settled()
    expect(transport.pings).toHaveLength(2)
  })

  it('is sent immediately if the client has closed its side', async () => {
    const { transport } = await open()
    void transport.receive(call(1))
    await settled()
    transport.end()
    await settled()
    expect(transport.order).toEqual([PROGRESS, 'ping', 1])
  })

  it('is sent before the connection closes', async () => {
    const { transport, close } = await open()
    void transport.receive(call(1))
    await settled()
    const closed = close()
    transport.pong()
    await closed
    expect(transport.order).toEqual([PROGRESS, 'ping', 1])
  })

  it('does not wait if the last progress notification is at least a second old', async () => {
    const { transport, runtime } = await open({
      handle: async (_, ctx) => {
        await ctx.progress(1)
        await new Promise<void>((resolve) => runtime.clock.setTimeout(resolve, 1_000))
        return complete({ content: [] })
      },
    })
    void transport.receive(call(1))
    await settled()
    await runtime.clock.advance(1_000)
    expect(transport.order).toEqual([PROGRESS, 1])
  })

  it.each([
    ['did not request progress', call(2, {}), reporting],
    ['did not report progress', call(2), { handle: () => complete({ content: [] }) }],
  ])('is sent immediately if the call %s', async (_, message, entry) => {
    const { transport } = await open(entry)
    void transport.receive(message)
    await settled()
    expect(transport.order).toEqual([2])
  })

  it('in a revision without sessions, is padded to 64 KiB and sent after 20 ms', async () => {
    const { transport, runtime } = await open()
    void transport.receive(call(1, { ...META, progressToken: 1 }))
    await settled()
    await runtime.clock.advance(19)
    expect(transport.order).toEqual([PROGRESS])
    await runtime.clock.advance(1)
    expect(transport.order).toEqual([PROGRESS, 1])
    // Together with its newline, this frame fills the 64 KiB that Node.js reads at once.
    expect(transport.lengths[1]).toBe(65_535)
  })
})

it('a response sent after progress notifications on other transports is not delayed', async () => {
  const transport = new ScriptedTransport()
  serveTransport(createTestRuntime({ 'tools/call': reporting }), transport)
  await transport.receive(call(1, { ...META, progressToken: 1 }))
  await settled()
  expect(transport.sent).toMatchObject([{ method: PROGRESS }, { id: 1 }])
})
