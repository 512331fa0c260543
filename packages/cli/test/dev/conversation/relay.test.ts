import { describe, expect, it } from 'vitest'
import { Relay } from '../../../src/dev/conversation/relay.ts'

const request = (id: number | string, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const result = (id: number | string, value: object = {}) => ({ jsonrpc: '2.0', id, result: value })
const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': 'x', progressToken: 1 } }
const acknowledged = (id: number, notifications: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications },
})

/** Returns a relay whose client has initialized a session with process 1. */
function initialized(capabilities: object = { tools: { listChanged: true } }): Relay {
  const relay = new Relay()
  relay.moveTo(1)
  relay.fromClient(request(0, 'initialize', { clientInfo: { name: 'c' } }))
  relay.fromProcess(1, result(0, { protocolVersion: 'r', capabilities }))
  return relay
}

describe('Relay handling requests', () => {
  it('sends each request to the current process, and forwards exactly one response from that process', () => {
    const relay = initialized()
    expect(relay.fromClient(request(1, 'ping'))).toEqual({ generation: 1, message: request(1, 'ping') })
    relay.moveTo(2)
    expect(relay.fromClient(request(2, 'ping'))).toMatchObject({ generation: 2 })
    expect(relay.fromProcess(2, result(1))).toBeUndefined()
    expect(relay.fromProcess(1, result(1))).toEqual(result(1))
    expect(relay.fromProcess(1, result(1))).toBeUndefined()
    expect(relay.inFlight(1)).toBe(0)
    expect(relay.inFlight(2)).toBe(1)
  })

  it('distinguishes the ids 1 and "1"', () => {
    const relay = initialized()
    relay.fromClient(request(1, 'ping'))
    relay.fromClient(request('1', 'ping'))
    expect(relay.fromProcess(1, result('1'))).toEqual(result('1'))
    expect(relay.fromProcess(1, result(1))).toEqual(result(1))
  })

  it('returns no process for a request while none is running', () => {
    const relay = initialized()
    relay.leave(1)
    expect(relay.fromClient(request(1, 'ping'))?.generation).toBeUndefined()
    expect(relay.inFlight(1)).toBe(0)
  })

  it.each([
    ['tools/call', {}, { result: { isError: true } }],
    ['tools/call', modern, { result: { isError: true, resultType: 'complete' } }],
    ['resources/read', {}, { error: { code: -32_603 } }],
  ])(
    'returns a response to a %s request when the process that received it ends',
    (method, params, answer) => {
      const relay = initialized()
      relay.fromClient(request(1, method, params))
      const { toClient, again } = relay.lost(1)
      expect(toClient).toHaveLength(1)
      expect(toClient[0]).toMatchObject({ id: 1, ...answer })
      expect(again).toEqual([])
      expect(relay.fromProcess(1, result(1))).toBeUndefined()
      expect(relay.lost(1).toClient).toEqual([])
    },
  )

  it('keeps the requests of other processes open when a process ends', () => {
    const relay = initialized()
    relay.fromClient(request(1, 'tools/call'))
    relay.moveTo(2)
    relay.fromClient(request(2, 'tools/call'))
    expect(relay.lost(1).toClient).toMatchObject([{ id: 1 }])
    expect(relay.current).toBe(2)
    expect(relay.inFlight(2)).toBe(1)
    relay.leave(1)
    expect(relay.current).toBe(2)
    expect(relay.lost(2).toClient).toMatchObject([{ id: 2 }])
    expect(relay.current).toBeUndefined()
  })

  it.each([
    [1, -32_603, 1],
    [2, -32_603, 'The server was restarted while this ran; call again'],
    [2, -32_602, 1],
  ])(
    'replaces an error only if it is internal and a newer process is serving: process %i, error %i',
    (current, code, expected) => {
      const relay = initialized()
      relay.fromClient(request(1, 'resources/read'))
      relay.moveTo(current)
      const error = { jsonrpc: '2.0', id: 1, error: { code, message: 'own' } }
      const passed = relay.fromProcess(1, error)
      expect(passed).toEqual(
        expected === 1 ? error : { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: expected } },
      )
    },
  )

  it('is full once 4,096 requests are open', () => {
    const relay = initialized()
    for (let id = 1; id < 4_096; id++) relay.fromClient(request(id, 'ping'))
    expect(relay.full).toBe(false)
    relay.fromClient(request(4_096, 'ping'))
    expect(relay.full).toBe(true)
    relay.fromProcess(1, result(1))
    expect(relay.full).toBe(false)
  })

  it.each([{ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'no' } }, 'text', { method: 1 }])(
    'forwards responses to unknown requests: %o',
    (value) => {
      const relay = initialized()
      expect(relay.fromProcess(1, value)).toBe(value)
    },
  )

  it('sends initialize again to the next process', () => {
    const relay = new Relay()
    relay.moveTo(1)
    relay.fromClient(request(0, 'initialize'))
    expect(relay.lost(1)).toEqual({ toClient: [], again: [request(0, 'initialize')] })
  })

  it('sends a cancellation to the process that has the request', () => {
    const relay = initialized()
    relay.fromClient(request(1, 'tools/call'))
    relay.moveTo(2)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    expect(relay.fromClient(cancelled)).toEqual({ generation: 1, message: cancelled })
  })
})

describe('Relay handling questions', () => {
  const question = request(7, 'elicitation/create')

  it('replaces the id of a question, and sends the answer to the process that asked', () => {
    const relay = initialized()
    const first = relay.fromProcess(1, question) as { readonly id: string }
    relay.moveTo(2)
    const second = relay.fromProcess(2, question) as { readonly id: string }
    expect(first.id).not.toBe(second.id)
    expect(relay.fromClient(result(first.id))).toEqual({ generation: 1, message: result(7) })
    expect(relay.fromClient(result(second.id))).toEqual({ generation: 2, message: result(7) })
    expect(relay.fromClient(result(second.id))).toBeUndefined()
  })

  it('drops questions beyond 1,024', () => {
    const relay = initialized()
    for (let id = 1; id < 1_024; id++) relay.fromProcess(1, request(id, 'ping'))
    expect(relay.fromProcess(1, request(1_024, 'ping'))).toEqual(request('1:1024', 'ping'))
    expect(relay.fromProcess(1, request(1_025, 'ping'))).toBeUndefined()
    relay.fromClient(result('1:1024'))
    expect(relay.fromProcess(1, request(1_025, 'ping'))).toEqual(request('1:1025', 'ping'))
  })

  it('keeps questions from other processes open when a process ends', () => {
    const relay = initialized()
    relay.fromProcess(1, question)
    relay.fromProcess(2, question)
    expect(relay.lost(1).toClient).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: '1:7', reason: 'The server was restarted' },
      },
    ])
    expect(relay.lost(1).toClient).toEqual([])
    expect(relay.fromClient(result('2:7'))).toEqual({ generation: 2, message: result(7) })
  })

  it("cancels a process's questions when the process ends", () => {
    const relay = initialized()
    const { id } = relay.fromProcess(1, question) as { readonly id: string }
    expect(relay.lost(1).toClient).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: id } },
    ])
    expect(relay.fromClient(result(id))).toBeUndefined()
  })

  it("translates the question's id when a process cancels its question", () => {
    const relay = initialized()
    const { id } = relay.fromProcess(1, question) as { readonly id: string }
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    expect(relay.fromProcess(1, cancelled)).toEqual({ ...cancelled, params: { requestId: id } })
    expect(relay.fromClient(result(id))).toBeUndefined()
    for (const params of [undefined, { requestId: {} }]) {
      const other = { ...cancelled, params }
      expect(relay.fromProcess(1, other)).toBe(other)
    }
  })
})

describe('Relay handling sessions', () => {
  it('restores the log level and the subscriptions that the server accepted', () => {
    const relay = initialized()
    const calls = [
      request(1, 'logging/setLevel', { level: 'debug' }),
      request(2, 'resources/subscribe', { uri: 'a:1' }),
      request(3, 'resources/subscribe', { uri: 'a:2' }),
      request(4, 'resources/unsubscribe', { uri: 'a:1' }),
      request(5, 'resources/subscribe', { uri: 'a:3' }),
    ]
    for (const call of calls) relay.fromClient(call)
    for (const id of [1, 2, 3, 4]) relay.fromProcess(1, result(id))
    relay.fromProcess(1, { jsonrpc: '2.0', id: 5, error: { code: -32_602, message: 'no' } })
    expect(relay.replay.initialize).toEqual({ clientInfo: { name: 'c' } })
    expect(relay.replay.settings()).toEqual([
      { method: 'logging/setLevel', params: { level: 'debug' } },
      { method: 'resources/subscribe', params: { uri: 'a:2' } },
    ])
  })

  it('restores settings that the client changes while another process is starting', () => {
    const relay = initialized()
    const set = (id: number, method: string, params: object): void => {
      relay.fromClient(request(id, method, params))
      relay.fromProcess(1, result(id))
    }
    set(1, 'resources/subscribe', { uri: 'a:1' })
    set(2, 'resources/subscribe', { uri: 'a:2' })
    const before = relay.replay.settings()
    set(3, 'resources/unsubscribe', { uri: 'a:1' })
    set(4, 'resources/subscribe', { uri: 'a:3' })
    set(5, 'logging/setLevel', { level: 'error' })
    expect(relay.replay.settingsSince(before)).toEqual([
      { method: 'resources/unsubscribe', params: { uri: 'a:1' } },
      { method: 'logging/setLevel', params: { level: 'error' } },
      { method: 'resources/subscribe', params: { uri: 'a:3' } },
    ])
  })

  it('restores at most 1,024 subscriptions', () => {
    const relay = initialized()
    for (let id = 1; id <= 1_025; id++) {
      relay.fromClient(request(id, 'resources/subscribe', { uri: `a:${id}` }))
      relay.fromProcess(1, result(id))
    }
    expect(relay.replay.settings()).toHaveLength(1_024)
    for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
      relay.fromClient(request(2_000, method, { uri: 1 }))
      relay.fromProcess(1, result(2_000))
    }
    expect(relay.replay.settings()).toHaveLength(1_024)
  })

  it('sends list_changed only for lists for which the server declared listChanged', () => {
    const relay = initialized({ tools: { listChanged: true }, prompts: {} })
    expect(relay.listChanged('tools')).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ])
    expect(relay.listChanged('prompts')).toEqual([])
  })
})

describe('Relay handling subscriptions/listen', () => {
  const listen = request(9, 'subscriptions/listen', modern)

  function listening(): Relay {
    const relay = new Relay()
    relay.moveTo(1)
    relay.fromClient(listen)
    const first = acknowledged(9, { toolsListChanged: true })
    expect(relay.fromProcess(1, first)).toBe(first)
    return relay
  }

  it("moves a subscription to the next process, and drops that process's acknowledgement", () => {
    const relay = listening()
    expect(relay.inFlight(1)).toBe(0)
    expect(relay.moveTo(2)).toEqual([listen])
    expect(relay.fromProcess(2, acknowledged(9, {}))).toBeUndefined()
    expect(relay.fromProcess(1, result(9))).toBeUndefined()
    expect(relay.fromProcess(2, result(9))).toEqual(result(9))
    expect(relay.moveTo(3)).toEqual([])
  })

  it('sends a cancellation to the process that has the subscription', () => {
    const relay = listening()
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }
    expect(relay.fromClient(cancelled)).toEqual({ generation: 1, message: cancelled })
    expect(relay.moveTo(2)).toEqual([])
  })

  it('forwards the acknowledgements of other subscriptions', () => {
    const relay = listening()
    for (const other of [acknowledged(8, {}), { ...acknowledged(9, {}), params: {} }])
      expect(relay.fromProcess(1, other)).toBe(other)
    expect(relay.fromProcess(1, acknowledged(9, {}))).toBeUndefined()
  })

  it('sends no changes to a subscription without a filter', () => {
    const relay = new Relay()
    relay.moveTo(1)
    relay.fromClient(listen)
    const first = acknowledged(9, 'none' as never)
    expect(relay.fromProcess(1, first)).toBe(first)
    expect(relay.listChanged('tools')).toEqual([])
  })

  it('keeps a subscription until the next process starts', () => {
    const relay = listening()
    expect(relay.lost(1)).toEqual({ toClient: [], again: [] })
    expect(relay.moveTo(2)).toEqual([listen])
  })

  it('cancels a subscription while no process is running', () => {
    const relay = listening()
    relay.lost(1)
    expect(
      relay.fromClient({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }),
    ).toBeUndefined()
    expect(relay.moveTo(2)).toEqual([])
  })

  it('sends changes only for lists that the server acknowledged', () => {
    const relay = listening()
    expect(relay.listChanged('tools')).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/tools/list_changed',
        params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 9 } },
      },
    ])
    expect(relay.listChanged('prompts')).toEqual([])
  })

  it("uses the client's _meta in its own requests", () => {
    expect(listening().meta).toEqual({ 'io.modelcontextprotocol/protocolVersion': 'x' })
  })
})
