import { type Answer, type Harness, initializeMessage, type Sent, type TestSink } from './harness.ts'

/** A client of the HTTP+SSE transport, without a network. */
export interface SseClient {
  readonly opened: Answer
  readonly sink: TestSink
  /** The data of the `endpoint` event. */
  readonly address: string
  readonly sessionId: string
  post(body: unknown, more?: Sent): Promise<Answer>
  /** Opens the session. Resolves to the response. */
  initialize(version?: string, capabilities?: object): Promise<void>
  call(name: string, args?: object, id?: string | number): Promise<Answer>
  /** Returns the same client, except that its messages are sent to another process. */
  at(harness: Pick<Harness, 'send'>, more?: Sent): SseClient
}

/** Opens an event stream. The properties of `more` are added to every request. */
export async function openSse({ send }: Harness, more: Sent = {}): Promise<SseClient> {
  return clientOf(await send({ ...more, route: 'sse', method: 'GET' }), send, more)
}

function clientOf(opened: Answer, send: Harness['send'], more: Sent): SseClient {
  const { sink } = opened
  const address = sink.events[0]?.data ?? ''
  const sessionId = new URL(address, 'http://localhost').searchParams.get('sessionId') ?? ''
  const post: SseClient['post'] = (body, given) =>
    send({ ...more, route: 'message', query: { sessionId }, body, ...given })
  return {
    opened,
    sink,
    address,
    sessionId,
    post,
    async initialize(version = '2024-11-05', capabilities = {}) {
      const message = initializeMessage(version) as { params: object }
      await post({ ...message, params: { ...message.params, capabilities } })
      await sink.until(() => sink.events.length > 1)
      await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    },
    call: (name, args = {}, id = 2) =>
      post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }),
    at: (harness, given = more) => clientOf(opened, harness.send, given),
  }
}
