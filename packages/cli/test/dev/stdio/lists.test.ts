/** The lists of successive processes over stdio, and the changes of which the client is notified. */
import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { INITIALIZE, request, TOOLS_CHANGED } from '../support/raw-http.ts'
import { initialize, INITIALIZED, type Message, note, relayStdio, server } from '../support/relay-stdio.ts'
import { useFakeTimers } from '../../support/fake-timers.ts'

const methods = (messages: readonly Message[]): readonly unknown[] => messages.map(({ method }) => method)

describe('list changes over stdio', () => {
  it('are announced to the client', async () => {
    const front = relayStdio()
    const first = await front.start(server(['a']))
    await initialize(front)
    expect(methods(first.got).slice(2)).toEqual([
      'tools/list',
      'resources/list',
      'resources/templates/list',
      'prompts/list',
    ])
    await front.start(server(['a', 'b']))
    await settled()
    expect(front.client.take()).toEqual([TOOLS_CHANGED])
    await front.start(server(['a', 'b']))
    await settled()
    expect(front.client.take()).toEqual([])
    await front.start(server(['b']))
    await settled()
    expect(front.client.take()).toEqual([TOOLS_CHANGED])
    expect(front.printed).toEqual(['tools: +b', 'tools: -a'])
  })

  it('are detected by reading the lists once, after notifications/initialized', async () => {
    const front = relayStdio()
    const first = await front.start(server(['a']))
    await front.client.write(INITIALIZE)
    await front.client.write(request(1, 'ping'), '7')
    expect(methods(first.take())).toEqual(['initialize', 'ping', undefined])
    await front.client.write(INITIALIZED)
    await front.client.write(INITIALIZED)
    expect(methods(first.take()).filter((method) => method === 'tools/list')).toEqual(['tools/list'])
  })

  it("without a session, are detected by reading the lists with the client's _meta", async () => {
    const front = relayStdio()
    const meta = { 'io.modelcontextprotocol/protocolVersion': 'x' }
    const first = await front.start(server(['a']))
    await front.client.write(request(1, 'tools/call', { _meta: { ...meta, progressToken: 1 } }))
    await settled()
    expect(first.got.slice(1).map(({ params }) => params)).toEqual(
      Array.from({ length: 4 }, () => ({ _meta: meta })),
    )
    await front.start(server(['b']))
    await settled()
    expect(front.client.take()).toEqual([])
    expect(front.printed).toEqual([
      'tools: +b -a',
      'The client has no subscription to changes of tools: it may have to reconnect',
    ])
  })

  it("are detected by reading the old process's lists again if that process has announced a change", async () => {
    const front = relayStdio()
    const tools = ['a']
    const first = await front.start(server(tools))
    await initialize(front)
    tools.push('b')
    await first.write(TOOLS_CHANGED)
    first.take()
    await front.start(server(['a', 'b']))
    await settled()
    expect(methods(first.take())).toContain('tools/list')
    await settled()
    expect(front.client.take()).toEqual([TOOLS_CHANGED])
    expect(front.printed).toEqual([])
    // The third process has not announced a change.
    const third = await front.start(server(['a', 'b']))
    await settled()
    await first.write(TOOLS_CHANGED)
    await third.write(note('notifications/other'))
    third.take()
    await front.start(server(['a', 'b']))
    await settled()
    expect(third.take()).toEqual([])
  })

  it('are detected from the lists read earlier if the old process does not respond within 500 ms', async () => {
    useFakeTimers()
    const front = relayStdio()
    let answers = true
    const usual = server(['a'])
    const first = await front.start((message) => (answers ? usual(message) : undefined))
    await initialize(front)
    answers = false
    await first.write(TOOLS_CHANGED)
    front.client.take()
    const second = await front.start(server(['c']))
    await settled()
    second.take()
    await vi.advanceTimersByTimeAsync(499)
    await settled()
    expect(second.take()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await vi.waitFor(() => expect(front.printed).toEqual(['tools: +c']))
    expect(front.client.take()).toEqual([TOOLS_CHANGED])
  })

  it('include every item if the first process ends while its lists are being read', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const front = relayStdio()
    await front.start(server())
    await front.client.write(INITIALIZE)
    const silent = front.spawn()
    front.relay.use(silent.child)
    await front.client.write(INITIALIZED)
    expect(methods(silent.got)).toContain('tools/list')
    front.relay.lost(silent.child)
    await settled()
    expect(unhandled).not.toHaveBeenCalled()
    await front.start(server(['a']))
    await settled()
    expect(front.printed).toEqual(['tools: +a'])
  })

  it('are not reported for a process that ends while its lists are being read', async () => {
    const front = relayStdio()
    await front.start(server(['a']))
    await initialize(front)
    const usual = server([])
    const second = await front.start((message) =>
      message.method === 'tools/list' ? undefined : usual(message),
    )
    front.relay.lost(second.child)
    await settled()
    expect(front.printed).toEqual([])
    await front.start(server(['a', 'b']))
    await settled()
    expect(front.client.take()).toEqual([TOOLS_CHANGED])
    expect(front.printed).toEqual(['tools: +b'])
  })
})
