import { callTool, notification } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { recordTransport, type RecordedFrame } from '../src/record-transport.ts'
import { validateWire } from './support/wire.ts'

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const SESSION_REVISIONS = REVISIONS.slice(0, 4)

const result = (value: object): object => ({ jsonrpc: '2.0', id: 1, result: value })
const tool = {
  name: 'a',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
}

/** The errors of all frames. Each response is checked against the request with its id. */
function faults(revision: string, frames: readonly RecordedFrame[]): string[] {
  const methods = new Map<unknown, string>()
  return frames.flatMap(({ direction, message }) => {
    const { id, method } = message as JsonObject
    if (id !== undefined && typeof method === 'string') methods.set(id, method)
    const sender = direction === 'sent' ? 'client' : 'server'
    return validateWire(revision, message, { direction: sender, method: methods.get(id) })
  })
}

describe('the wire validator', () => {
  it.each(SESSION_REVISIONS)('accepts valid messages of %s', (revision) => {
    const from = (direction: 'client' | 'server', message: object, method?: string): readonly string[] =>
      validateWire(revision, message, { direction, method })
    expect(from('client', callTool('a', { any: 1 }))).toEqual([])
    expect(
      from('server', result({ tools: [tool], nextCursor: 'c', _meta: { any: 1 } }), 'tools/list'),
    ).toEqual([])
    expect(from('server', result({}), 'ping')).toEqual([])
    expect(from('server', { jsonrpc: '2.0', error: { code: -32700, message: 'no' } })).toEqual([])
    expect(from('server', notification('notifications/message', { level: 'info', data: { a: 1 } }))).toEqual(
      [],
    )
  })

  it.each(REVISIONS)('refuses members that %s does not define', (revision) => {
    const context = { direction: 'server', method: 'tools/list' } as const
    expect(validateWire(revision, result({ tools: [{ ...tool, invented: 1 }] }), context)).not.toEqual([])
    expect(validateWire(revision, result({ tools: [tool], invented: 1 }), context)).not.toEqual([])
    expect(validateWire(revision, { ...result({ tools: [tool] }), invented: 1 }, context)).not.toEqual([])
  })

  it('refuses fields of a newer revision', () => {
    const withOutput = result({ tools: [{ ...tool, title: 'A', outputSchema: { type: 'object' } }] })
    const verdicts = SESSION_REVISIONS.map(
      (revision) =>
        validateWire(revision, withOutput, { direction: 'server', method: 'tools/list' }).length === 0,
    )
    expect(verdicts).toEqual([false, false, true, true])
  })

  it('refuses an unknown method, a method of the other side, and a result that must be empty', () => {
    const call = (method: string): object => ({ jsonrpc: '2.0', id: 1, method, params: { name: 'a' } })
    expect(validateWire('2025-11-25', call('tools/invent'), { direction: 'client' })).toEqual([
      'the revision has no method tools/invent',
    ])
    expect(validateWire('2025-11-25', call('tools/call'), { direction: 'server' })).toEqual([
      'a server does not send tools/call',
    ])
    expect(validateWire('2025-11-25', result({ a: 1 }), { direction: 'server', method: 'ping' })).not.toEqual(
      [],
    )
  })

  it('checks each message of a batch', () => {
    expect(
      validateWire('2025-03-26', [result({}), result({ a: 1 })], { direction: 'server', method: 'ping' }),
    ).toHaveLength(1)
  })

  it.each(['2025-06-18', '2025-11-25'])('accepts any number in a form response of %s', (revision) => {
    const answer = result({ action: 'accept', content: { ratio: 0.5 } })
    expect(validateWire(revision, answer, { direction: 'client', method: 'elicitation/create' })).toEqual([])
  })
})

describe('what a server writes', () => {
  it.each(SESSION_REVISIONS)('is valid in %s, frame by frame', async (revision) => {
    const server = new McpServer(
      { name: 'wire', version: '1.0.0', title: 'Wire' },
      { instructions: 'Use it.' },
    )
    server.addTool({
      name: 'report',
      title: 'Report',
      description: 'Reports progress and structure',
      annotations: { readOnlyHint: true },
      icons: [{ src: 'https://example.com/icon.png' }],
      outputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      async handler(_args, ctx) {
        await ctx.progress(1, 2, 'half')
        ctx.log.warning('careful')
        return { a: 1 }
      },
    })
    const [client, end] = createMemoryTransportPair()
    const { transport, frames } = recordTransport(client)
    server.connect(end)
    const peer = await connectPeer(transport, { revision })
    await peer.request('ping')
    await peer.request('tools/list')
    await peer.request('tools/call', { name: 'report', arguments: {}, _meta: { progressToken: 1 } })
    await peer.request('tools/call', { name: 'unknown' })
    await peer.close()
    expect(frames.length).toBeGreaterThan(9)
    expect(faults(revision, frames)).toEqual([])
  })
})
