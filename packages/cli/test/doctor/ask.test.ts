import type { ClientTransport } from '@jetway/client'
import { describe, expect, it } from 'vitest'
import { ask } from '../../src/doctor/protocol/ask.ts'

type Handlers = Parameters<ClientTransport['start']>[0]

/** Sends a request to a server that runs `react` when it receives the request. */
async function answered(react: (handlers: Handlers) => void, timeoutMs = 5_000) {
  const events: unknown[] = []
  let handlers: Handlers | undefined
  const transport = {
    start: async (given: Handlers) => void (handlers = given),
    send: async (message: object, options: object) => {
      events.push(message, options)
      if (handlers !== undefined) react(handlers)
    },
    close: async () => void events.push('closed'),
  } as unknown as ClientTransport
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' } as const
  const result = await ask(async () => transport, { message, revision: undefined, timeoutMs }).catch(
    (error: unknown) => error,
  )
  expect(events[0]).toBe(message)
  expect(events[1]).not.toHaveProperty('headers')
  expect(events.at(-1)).toBe('closed')
  return result
}

const RESULT = { jsonrpc: '2.0', id: 1, result: { a: 1 } }

describe('ask', () => {
  it.each<readonly [string, readonly unknown[]]>([
    ['an answer', [RESULT]],
    ['an answer in a batch', [[{ jsonrpc: '2.0', method: 'x' }, RESULT]]],
    ['an answer after others', [{ ...RESULT, id: 2, result: {} }, 'text', null, RESULT]],
  ])('resolves on %s', async (_, messages) => {
    const result = await answered((handlers) => {
      for (const each of messages) void handlers.message(each)
    })
    expect(result).toEqual({ a: 1 })
  })

  it.each<readonly [string, (handlers: Handlers) => void, object]>([
    [
      'an error',
      (on) => void on.message({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'No' } }),
      { code: -32601, message: 'No' },
    ],
    [
      'a message that is neither a result nor an error',
      (on) => void on.message({ jsonrpc: '2.0', id: 1, result: 1 }),
      { message: 'neither a result nor an error' },
    ],
    ['a failed request', (on) => on.requestFailed?.(1, new Error('Gone')), { message: 'Gone' }],
    [
      'the end of the connection',
      (on) => on.close({ kind: 'closed' } as never),
      { message: 'the connection was closed' },
    ],
    [
      'the end of the connection because of an error',
      (on) => on.close({ kind: 'error', error: new Error('Cut') }),
      { message: 'Error: Cut' },
    ],
  ])('rejects on %s', async (_, react, expected) => {
    expect(await answered(react)).toMatchObject(expected)
  })

  it('rejects if no response arrives in time', async () => {
    expect(await answered((on) => on.malformed('x'), 20)).toMatchObject({
      message: 'no answer in time',
    })
  })

  it('rejects if the transport cannot be created', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' } as const
    const target = (): never => {
      throw new Error('No program')
    }
    await expect(ask(target, { message, revision: undefined, timeoutMs: 5_000 })).rejects.toThrow(
      'No program',
    )
  })
})
