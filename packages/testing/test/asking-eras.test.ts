import { asks, elicit, inputRequired, listRoots, McpServer, sample } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type MatrixTransport,
  fetchTransport,
  memoryTransport,
  type OpenTransport,
} from '../src/matrix-transports.ts'
import { connectPeer, type RawResponse } from '../src/peer.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'
import { type Answer, requestInRounds } from './support/rounds.ts'

const SESSION = '2025-11-25'
const ALONE = '2026-07-28'
const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const named = z.object({ name: z.string() })
const trip = z.object({ city: z.string() })

function create() {
  const server = new McpServer({ name: 'eras', version: '1' })
  const runs: Record<string, number> = {}
  const ran = (name: string, text: string): string => {
    runs[name] = (runs[name] ?? 0) + 1
    return text
  }
  server.addTool({
    name: 'book',
    inputSchema: trip,
    asks: asks(trip)
      .ask('when', ({ city }) => elicit(`When to ${city}?`, named))
      .ask('roots', () => listRoots())
      .ask('advice', ({ city }, { answers }) =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: `${city}, ${answers.when.name}?` } }],
          maxTokens: 9,
        }),
      ),
    handler: ({ city }, { answers: { when, roots, advice } }) =>
      ran('book', `${city} ${when.name} ${roots.length} ${advice.model}`),
  })
  const ask = (): ReturnType<typeof inputRequired> => inputRequired({ who: elicit('Who?', named) })
  server.addPrompt({
    name: 'greet',
    handler: (_args, { inputs }) => inputs.get('who', named)?.name ?? ask(),
  })
  server.addResource({
    uri: 'eras://who',
    name: 'who',
    handler: (_args, { inputs }) => inputs.get('who', named)?.name ?? ask(),
  })
  return { server, runs }
}

/** The questions that clients of both eras get, and the results. */
interface Heard {
  readonly asked: unknown[]
  readonly results: (JsonObject | undefined)[]
}

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
  'roots/list': { roots: [{ uri: 'file:///a' }] },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Go' }, model: 'm1' },
}

async function visit(open: OpenTransport, revision: string, answers = ANSWERS): Promise<Heard> {
  const asked: unknown[] = []
  const answer: Answer = (method, params = {}) => {
    // An empty object means the same as none.
    asked.push({ method, params })
    return answers[method]
  }
  const connection = await connectPeer(await open.dial(), { revision, capabilities, onRequest: answer })
  const results: Heard['results'] = []
  for (const [method, params] of [
    ['tools/call', { name: 'book', arguments: { city: 'Oslo' } }],
    ['prompts/get', { name: 'greet' }],
    ['resources/read', { uri: 'eras://who' }],
  ] as const)
    results.push(essence(await requestInRounds(connection, method, params, answer)))
  await connection.close()
  return { asked, results }
}

/** Without the members that a revision adds to every result. */
function essence({ result, error }: RawResponse): JsonObject | undefined {
  if (result === undefined) return error as unknown as JsonObject
  const { content, messages, contents, isError } = result
  return { content, messages, contents, isError }
}

const TRANSPORTS: readonly MatrixTransport[] = [...HOST_TRANSPORTS, memoryTransport, fetchTransport]

describe.each(TRANSPORTS.map((transport) => [transport.name, transport] as const))(
  'one server over %s',
  (_name, transport) => {
    let open: OpenTransport | undefined
    afterEach(async () => {
      await open?.close()
      open = undefined
    })

    it('elicits the same from clients with and without a session at the same time, and runs a handler once for each', async () => {
      const { server, runs } = create()
      open = await transport.open(server)
      const [session, alone] = await Promise.all([visit(open, SESSION), visit(open, ALONE)])
      expect(session.results).toMatchObject([
        { content: [{ text: 'Oslo Ada 1 m1' }] },
        { messages: [{ content: { text: 'Ada' } }] },
        { contents: [{ text: 'Ada' }] },
      ])
      expect(session.asked).toHaveLength(5)
      expect(alone).toEqual(session)
      expect(runs).toEqual({ book: 2 })
    })

    it('reports a decline to both in the same words', async () => {
      const { server, runs } = create()
      open = await transport.open(server)
      const answers = { ...ANSWERS, 'elicitation/create': { action: 'decline' } }
      const session = await visit(open, SESSION, answers)
      expect(session.results[0]).toMatchObject({
        isError: true,
        content: [{ text: 'The user declined: When to Oslo?' }],
      })
      expect(await visit(open, ALONE, answers)).toEqual(session)
      expect(runs).toEqual({})
    })
  },
)
