import { deferred, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { createMemoryTransportPair, type Transport, type TransportClose } from '../../src/duplex/transport.ts'

function listen(transport: Transport, onMessage: (text: string) => void | Promise<void> = () => {}) {
  const texts: string[] = []
  const waiting: { wanted: number; resolve: () => void }[] = []
  const closed = new Promise<TransportClose>((resolve) => {
    void transport.start({
      message(text) {
        texts.push(text)
        for (const { wanted, resolve: go } of waiting) if (texts.length >= wanted) go()
        return onMessage(text)
      },
      malformed: () => {},
      close: resolve,
    })
  })
  const count = (wanted: number): Promise<void> =>
    new Promise((resolve) => {
      if (texts.length >= wanted) resolve()
      else waiting.push({ wanted, resolve })
    })
  return { texts, closed, count }
}

describe('createMemoryTransportPair', () => {
  it('delivers messages in order in both directions, but not before send() returns', async () => {
    const [left, right] = createMemoryTransportPair()
    const atLeft = listen(left)
    const atRight = listen(right)
    for (const text of ['1', '2', '3']) void left.send(text)
    void right.send('a')
    expect(atRight.texts).toEqual([])
    await Promise.all([atRight.count(3), atLeft.count(1)])
    expect(atRight.texts).toEqual(['1', '2', '3'])
    expect(atLeft.texts).toEqual(['a'])
  })

  it('keeps messages until the other side starts', async () => {
    const [left, right] = createMemoryTransportPair()
    void left.send('early')
    const atRight = listen(right)
    await atRight.count(1)
    expect(atRight.texts).toEqual(['early'])
  })

  it('makes send() wait while more than 1 MiB is queued', async () => {
    const [left, right] = createMemoryTransportPair()
    const handled = [deferred(), deferred(), deferred()]
    const atRight = listen(right, () => handled[atRight.texts.length - 1]?.promise)
    const text = 'x'.repeat(1024 * 1024)
    expect(left.send(text)).toBeUndefined()
    let continued = 0
    const sendMore = async (): Promise<void> => {
      await left.send(text)
      continued++
    }
    const behind = [sendMore(), sendMore()]
    await atRight.count(1)
    handled[0]?.resolve()
    await atRight.count(2)
    await settled()
    expect([Number(left.queued) / text.length, continued]).toEqual([2, 0])
    handled[1]?.resolve()
    // The last message still waits for its handler.
    await Promise.all(behind)
    expect(left.queued).toBe(text.length)
    handled[2]?.resolve()
  })

  it("waits for the handler's promise before it delivers the next message", async () => {
    const [left, right] = createMemoryTransportPair()
    const { promise: gate, resolve: release } = deferred()
    const atRight = listen(right, () => gate)
    void left.send('1')
    void left.send('2')
    await atRight.count(1)
    await Promise.resolve()
    expect(atRight.texts).toEqual(['1'])
    release()
    await atRight.count(2)
  })

  it('makes send() wait only while the other side is slow', async () => {
    const [left, right] = createMemoryTransportPair()
    expect(left.send('x'.repeat(1024 * 1024))).toBeUndefined()
    const behind = left.send('y')
    expect(behind).toBeInstanceOf(Promise)
    const atRight = listen(right)
    await behind
    expect(atRight.texts).toHaveLength(2)
  })

  it('delivers each message once before it closes', async () => {
    const [left, right] = createMemoryTransportPair()
    const atLeft = listen(left)
    void left.send('last words')
    await left.close()
    await left.close()
    const atRight = listen(right)
    expect(await atRight.closed).toEqual({ kind: 'end' })
    expect(atRight.texts).toEqual(['last words'])
    expect(await atLeft.closed).toEqual({ kind: 'end' })
  })

  it('silently drops messages sent after the close', async () => {
    const [left, right] = createMemoryTransportPair()
    const atRight = listen(right)
    await right.close()
    expect(left.send('late')).toBeUndefined()
    await atRight.closed
    expect(atRight.texts).toEqual([])
  })

  it('resolves a waiting send() when the other side closes', async () => {
    const [left, right] = createMemoryTransportPair()
    const behind = left.send('x'.repeat(2 * 1024 * 1024))
    await right.close()
    await expect(behind).resolves.toBeUndefined()
  })

  it('drops a message if its signal aborts before delivery', async () => {
    const [left, right] = createMemoryTransportPair()
    const controller = new AbortController()
    void left.send('dropped', { signal: controller.signal })
    void left.send('kept')
    controller.abort()
    const atRight = listen(right)
    await atRight.count(1)
    expect(atRight.texts).toEqual(['kept'])
  })

  it('closes both sides if a handler fails', async () => {
    const [left, right] = createMemoryTransportPair()
    const failure = new Error('broken handler')
    const atLeft = listen(left)
    const atRight = listen(right, () => Promise.reject(failure))
    void left.send('1')
    expect(await atRight.closed).toEqual({ kind: 'error', error: failure })
    expect(await atLeft.closed).toEqual({ kind: 'end' })
  })

  it('closes 1,000 pairs whose close handlers call close() again', async () => {
    const ends = Array.from({ length: 1000 }, () => {
      const [left, right] = createMemoryTransportPair()
      const closed = new Promise<void>((resolve) => {
        const handlers = (own: Transport) => ({
          message: () => {},
          malformed: () => {},
          close: () => void own.close().then(resolve),
        })
        void left.start(handlers(left))
        void right.start(handlers(right))
      })
      void left.close()
      return closed
    })
    await Promise.all(ends)
  })

  it('rejects a second start', () => {
    const [left] = createMemoryTransportPair()
    void listen(left)
    expect(() => left.start({ message: () => {}, malformed: () => {}, close: () => {} })).toThrow(
      /started already/,
    )
  })
})
