import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import {
  CreateMessageRequestSchema,
  type ElicitResult,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transportV1 } from './support/clients.ts'
import { text } from './support/features/feature.ts'
import { HTTP_TRANSPORTS, serving, type Target, type TransportName, TRANSPORTS } from './support/processes.ts'

const overSse = (target: Target): SSEClientTransport =>
  new SSEClientTransport(new URL('sse', 'url' in target ? target.url : undefined))
type To = typeof overSse | typeof transportV1
const WAYS: readonly (readonly [way: string, TransportName, To])[] = [
  ...TRANSPORTS.map((transport) => [transport, transport, transportV1] as const),
  ...HTTP_TRANSPORTS.map((transport) => [`${transport} HTTP+SSE`, transport, overSse] as const),
]

/** Connects an official client that answers questions. */
async function connect(transport: ReturnType<To>) {
  const client = new Client(
    { name: 'asked', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
  )
  const elicited: unknown[] = []
  const next: { answer: ElicitResult } = { answer: { action: 'decline' } }
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    elicited.push(params)
    return next.answer
  })
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    role: 'assistant',
    content: { type: 'text', text: `You said ${JSON.stringify(params.messages[0]?.content)}` },
    model: 'test',
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home' }] }))
  await client.connect(transport)
  return { client, elicited, next }
}

describe.each(WAYS)('a question to the official client over %s', (_, transport, to) => {
  const target = serving(transport)
  let connected: Awaited<ReturnType<typeof connect>>

  beforeAll(async () => {
    connected = await connect(to(target()))
  })
  afterAll(() => connected.client.close())

  it('can be a form declared in `asks`, which the user accepts or declines', async () => {
    const { client, next } = connected
    next.answer = { action: 'accept', content: { username: 'ada', email: 'ada@example.com' } }
    const call = { name: 'test_elicitation', arguments: { message: 'Who?' } }
    expect(await client.callTool(call)).toMatchObject(
      text('User response: action=accept, content={"username":"ada","email":"ada@example.com"}'),
    )
    next.answer = { action: 'decline' }
    expect(await client.callTool(call)).toMatchObject(text('User response: action=decline, content={}'))
  })

  it('can be a form requested inside a handler, with every kind of choice field', async () => {
    const { client, elicited, next } = connected
    next.answer = { action: 'accept', content: { untitledSingle: 'option2', titledMulti: ['value1'] } }
    expect(await client.callTool({ name: 'test_elicitation_sep1330_enums' })).toMatchObject(
      text(
        'Elicitation completed: action=accept, content={"untitledSingle":"option2","titledMulti":["value1"]}',
      ),
    )
    expect(elicited.at(-1)).toMatchObject({
      requestedSchema: {
        properties: { legacyEnum: { enumNames: ['Option One', 'Option Two', 'Option Three'] } },
      },
    })
  })

  it("can request a sample from the client's model", async () => {
    const call = { name: 'test_sampling', arguments: { prompt: 'hi' } }
    expect(await connected.client.callTool(call)).toMatchObject(
      text('LLM response: You said {"type":"text","text":"hi"}'),
    )
  })

  it("can request the client's roots", async () => {
    expect(await connected.client.callTool({ name: 'list_client_roots' })).toMatchObject(
      text('["file:///home"]'),
    )
  })
})
