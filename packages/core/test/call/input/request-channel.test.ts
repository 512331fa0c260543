import { FakeClock, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { QuestionError } from '../../../src/errors.ts'
import type { Exchange } from '../../../src/call/exchange.ts'
import { nodeOfRequest, PendingRequests } from '../../../src/call/input/pending-requests.ts'
import { RELATED_TASK } from '../../../src/protocol/methods.ts'

interface Frame {
  readonly id: string
  readonly method: string
  readonly params?: object
}

function setUp(node?: string) {
  const clock = new FakeClock()
  let sends = 0
  const requests = new PendingRequests({
    clock,
    random: (bytes) => new Uint8Array(bytes),
    node,
    timeoutMs: 1_600,
    onSend: () => sends++,
  })
  const sent: Frame[] = []
  const exchange: Exchange = { duplex: true, send: (frame) => void sent.push(JSON.parse(frame) as Frame) }
  const ask = (
    params: object = {},
  ): ReturnType<PendingRequests['send']> & { readonly end: Promise<unknown> } => {
    const open = requests.send('q', { method: 'roots/list', params: params as never }, exchange)
    const end = open.result.catch((error: unknown) =>
      error instanceof QuestionError ? `${error.reason}: ${error.message}` : error,
    )
    return { ...open, end }
  }
  const answer = (id: string | number, response: object): boolean =>
    requests.settle({ jsonrpc: '2.0', id, ...response } as never)
  return { clock, requests, sent, exchange, ask, answer, sends: () => sends }
}

describe('PendingRequests', () => {
  it('gives each request an id that is unique in the process, and settles it once', async () => {
    const { clock, requests, sent, ask, answer, sends } = setUp()
    const [one, two] = [ask(), ask({ a: 1 })]
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 'AAAAAAAA-1', method: 'roots/list', params: {} },
      { jsonrpc: '2.0', id: 'AAAAAAAA-2', method: 'roots/list', params: { a: 1 } },
    ])
    expect([requests.size, sends(), clock.pending]).toEqual([2, 2, 2])
    expect(answer('AAAAAAAA-2', { result: { b: 2 } })).toBe(true)
    expect(answer('AAAAAAAA-2', { result: { late: 1 } })).toBe(true)
    expect(answer('AAAAAAAA-1', { error: { code: 5, message: 'no' } })).toBe(true)
    expect([await one.end, await two.end]).toEqual([
      'refused: The question "q" was not answered: the client replied with error 5: no',
      { b: 2 },
    ])
    expect([requests.size, clock.pending, sent.length]).toEqual([0, 0, 2])
  })

  it('ignores responses to unknown requests', () => {
    const { ask, answer } = setUp()
    expect(answer('AAAAAAAA-1', { result: {} })).toBe(false)
    void ask()
    expect([answer('BAAAAAAA-1', { result: {} }), answer(1, { result: {} })]).toEqual([false, false])
  })

  it('cancels a request exactly once when it times out', async () => {
    const { clock, sent, ask } = setUp()
    const open = ask({ _meta: { [RELATED_TASK]: { taskId: 't' } } })
    await clock.advance(1_599)
    expect(sent).toHaveLength(1)
    await clock.advance(1)
    expect(await open.end).toBe('timeout: The question "q" was not answered in 2 s')
    open.cancel('late')
    expect(sent.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: {
          requestId: 'AAAAAAAA-1',
          reason: 'The question "q" was not answered in 2 s',
          _meta: { [RELATED_TASK]: { taskId: 't' } },
        },
      },
    ])
  })

  it('sends requests through exchange.request, and cancellations through exchange.send', async () => {
    const { requests, sent, exchange } = setUp()
    const asked: string[] = []
    const open = requests.send(
      'q',
      { method: 'roots/list', params: {} },
      { ...exchange, request: (frame) => void asked.push(frame) },
    )
    open.cancel('enough')
    await expect(open.result).rejects.toThrow('enough')
    expect([asked.length, sent.map(({ params }) => params)]).toEqual([
      1,
      [{ requestId: 'AAAAAAAA-1', reason: 'enough' }],
    ])
  })

  it('rejects pending and later requests when the client disconnects', async () => {
    const { clock, requests, sent, ask } = setUp()
    const open = ask()
    let confirmed = 0
    const confirm = (): void => void requests.confirmRead(() => {}).then(() => confirmed++)
    confirm()
    requests.end()
    confirm()
    const text = 'closed: The question "q" was not answered: the client has disconnected'
    expect([await open.end, await ask().end]).toEqual([text, text])
    await settled()
    expect([confirmed, clock.pending, sent.length]).toEqual([2, 0, 1])
  })

  it.each([
    ['node.AAAAAAAA-1', 'node'],
    ['AAAAAAAA-1', undefined],
    ['.AAAAAAAA-1', undefined],
    ['a.', 'a'],
    [1, undefined],
    [null, undefined],
    [undefined, undefined],
  ])('given the id %j, nodeOfRequest returns %j', (id, node) => {
    expect(nodeOfRequest(id)).toBe(node)
  })

  it("includes the node's id in request ids", () => {
    const { sent, ask } = setUp('node')
    void ask()
    expect(nodeOfRequest(sent[0]?.id)).toBe('node')
  })
})

describe('PendingRequests.confirmRead', () => {
  it('waits up to 1 s for a pong, but only 20 ms while an earlier ping is unanswered', async () => {
    const { clock, requests, answer } = setUp()
    const pings: Frame[] = []
    let read = 0
    const confirm = (): void =>
      void requests.confirmRead((frame) => pings.push(JSON.parse(frame) as Frame)).then(() => read++)
    confirm()
    expect(pings).toEqual([{ jsonrpc: '2.0', id: 'AAAAAAAA-ping-1', method: 'ping' }])
    expect(answer('AAAAAAAA-ping-1', { result: {} })).toBe(true)
    await settled()
    expect([read, clock.pending]).toEqual([1, 0])
    confirm()
    await clock.advance(999)
    expect(read).toBe(1)
    await clock.advance(1)
    expect(read).toBe(2)
    confirm()
    await clock.advance(19)
    expect([read, pings.length]).toEqual([2, 2])
    await clock.advance(1)
    expect(read).toBe(3)
    answer('AAAAAAAA-ping-2', { result: {} })
    confirm()
    expect(pings).toHaveLength(3)
    await clock.advance(999)
    expect(read).toBe(3)
  })
})
