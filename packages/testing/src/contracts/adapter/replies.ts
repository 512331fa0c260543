import { type EndpointOptions, Rejection } from '@jetway/core/http'
import { expect } from 'vitest'
import { callFrame, INITIALIZE, INITIALIZED, messagesOf, textOf } from './client.ts'
import { expectError, SILENT } from './requests.ts'
import { DESCRIPTION } from './servers.ts'
import type { AdapterCase } from './types.ts'

const MIXED = 'aä€😀 '

const whole: readonly AdapterCase[] = [
  {
    name: 'answers a call with JSON',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const reply = await client.send({ body: callFrame('echo', { text: MIXED }, 7) })
      expect(reply.status).toBe(200)
      expect(reply.headers['content-type']).toMatch(/^application\/json(;|$)/)
      expect(messagesOf(reply)).toMatchObject([{ id: 7, result: { content: [{ text: MIXED }] } }])
    },
  },
  {
    name: 'sends a large response byte for byte',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const text = MIXED.repeat(100_000)
      expect(textOf(await client.send({ body: callFrame('echo', { text }) })) === text).toBe(true)
    },
  },
  {
    name: 'sends a binary body unchanged',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
      const reply = await client.send({ body: JSON.stringify(list) })
      const answer = JSON.parse(reply.body) as { result: { tools: readonly { description: string }[] } }
      expect(answer.result.tools[0]?.description === DESCRIPTION).toBe(true)
    },
  },
  {
    name: 'sends the session id with the initialize response, as JSON and as a stream',
    async run({ serve }) {
      for (const response of ['json', 'sse'] as const) {
        const { client } = await serve({ response })
        const { status, headers } = await client.send({ body: INITIALIZE })
        expect([status, headers['mcp-session-id']]).toEqual([
          200,
          expect.stringMatching(/^[\x21-\x7e]{20,}$/),
        ])
      }
    },
  },
  {
    name: 'sends replies without a body: 202 to a notification, 204 to a DELETE',
    async run({ serve }) {
      const { client } = await serve()
      const headers = await client.initialize()
      const stream = await client.listen(headers)
      const accepted = await client.send({ headers, body: INITIALIZED })
      expect([accepted.status, accepted.body]).toEqual([202, ''])
      expect(accepted.headers['content-type']).toBeUndefined()
      const ended = await client.send({ method: 'DELETE', headers })
      expect([ended.status, ended.body]).toEqual([204, ''])
      await stream.whole()
      expectError(await client.send({ headers, body: callFrame('echo') }), 404, -32600)
    },
  },
  {
    name: 'sends the headers Allow and WWW-Authenticate with a refusal',
    async run({ serve }) {
      const { client } = await serve({ authenticate: () => undefined })
      for (const method of ['PUT', 'PATCH']) {
        const reply = await client.send({ method, body: '{}' })
        expectError(reply, 405, -32600)
        expect(reply.headers.allow).toBe('GET, POST, DELETE, OPTIONS')
      }
      const unknown = await client.send({ body: INITIALIZE })
      expectError(unknown, 401, -32600)
      expect(unknown.headers['www-authenticate']).toBe('Bearer')
    },
  },
  {
    name: 'answers HEAD with 405 and without a body, and OPTIONS with 204',
    async run({ serve }) {
      const { client } = await serve()
      const head = await client.send({ method: 'HEAD' })
      expect([head.status, head.body, head.headers.allow]).toEqual([405, '', 'GET, POST, DELETE, OPTIONS'])
      const options = await client.send({ method: 'OPTIONS' })
      expect([options.status, options.headers.allow]).toEqual([204, 'GET, POST, DELETE, OPTIONS'])
    },
  },
  {
    name: 'answers 500 as JSON-RPC if a mount option throws, rejects or returns a header that cannot be sent',
    async run({ serve }) {
      const headers = { 'www-authenticate': 'Bearer error_description="\u738B secret"' }
      const failures: readonly NonNullable<EndpointOptions['authenticate']>[] = [
        () => {
          throw new Error('secret')
        },
        () => Promise.reject(new Error('secret')),
        () => new Rejection(403, 'No', { headers }),
        () => Promise.resolve(new Rejection(403, 'No', { headers })),
      ]
      for (const authenticate of failures) {
        const { client } = await serve({ authenticate, logger: SILENT })
        const reply = await client.send({ body: INITIALIZE })
        expectError(reply, 500, -32603)
        expect(reply.body).not.toContain('secret')
      }
    },
  },
]

const streams: readonly AdapterCase[] = [
  {
    name: 'sends a whole stream in order, and ends it',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const reply = await client.send({ body: callFrame('report', { text: MIXED, times: 100 }, 7) })
      expect(reply.status).toBe(200)
      expect(reply.headers['content-type']).toMatch(/^text\/event-stream(;|$)/)
      const messages = messagesOf(reply)
      expect(messages.slice(0, -1).map(({ params }) => [params?.progress, params?.message])).toEqual(
        Array.from({ length: 100 }, (_, index) => [index + 1, MIXED]),
      )
      expect(messages.at(-1)).toMatchObject({ id: 7, result: { content: [{ text: MIXED }] } })
    },
  },
  {
    name: 'keeps headers set by the host on every kind of reply',
    needs: 'headers',
    async run({ serve }) {
      const set = { 'x-request-id': 'a1', 'access-control-allow-origin': 'http://localhost' }
      const { client } = await serve({ stateless: true }, { headers: set })
      const kinds = {
        json: { body: callFrame('echo', { text: 'x' }) },
        stream: { body: callFrame('report', { text: 'x', times: 1 }) },
        empty: { body: INITIALIZED },
        refusal: { method: 'PUT' },
      }
      for (const [kind, sent] of Object.entries(kinds)) {
        const { headers } = await client.send(sent)
        expect([kind, headers]).toEqual([kind, expect.objectContaining(set)])
      }
    },
  },
]

/** The cases for replies. */
export const REPLY_CASES: readonly AdapterCase[] = [...whole, ...streams]
