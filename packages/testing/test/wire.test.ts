import { callTool, notification } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { validateWire } from './support/wire.ts'

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const SESSION_REVISIONS = REVISIONS.slice(0, 4)

const result = (value: object): object => ({ jsonrpc: '2.0', id: 1, result: value })
const tool = {
  name: 'a',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
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

  it.each(REVISIONS)('rejects properties that %s does not define', (revision) => {
    const context = { direction: 'server', method: 'tools/list' } as const
    expect(validateWire(revision, result({ tools: [{ ...tool, invented: 1 }] }), context)).not.toEqual([])
    expect(validateWire(revision, result({ tools: [tool], invented: 1 }), context)).not.toEqual([])
    expect(validateWire(revision, { ...result({ tools: [tool] }), invented: 1 }, context)).not.toEqual([])
  })

  it('rejects fields of a newer revision', () => {
    const withOutput = result({ tools: [{ ...tool, title: 'A', outputSchema: { type: 'object' } }] })
    const verdicts = SESSION_REVISIONS.map(
      (revision) =>
        validateWire(revision, withOutput, { direction: 'server', method: 'tools/list' }).length === 0,
    )
    expect(verdicts).toEqual([false, false, true, true])
  })

  it('rejects unknown methods, methods of the other side, and extra properties of an empty result', () => {
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

  it('checks each message in a batch', () => {
    expect(
      validateWire('2025-03-26', [result({}), result({ a: 1 })], { direction: 'server', method: 'ping' }),
    ).toHaveLength(1)
  })

  it.each(['2025-06-18', '2025-11-25'])('accepts any number in a form response of %s', (revision) => {
    const answer = result({ action: 'accept', content: { ratio: 0.5 } })
    expect(validateWire(revision, answer, { direction: 'client', method: 'elicitation/create' })).toEqual([])
  })
})
