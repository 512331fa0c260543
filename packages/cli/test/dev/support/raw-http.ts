/** Sends requests of revision 2025-11-25 without using a client. */
export type Headers = Readonly<Record<string, string>>

const COMMON: Headers = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
}

export const post = (url: string, body: unknown, headers: Headers = {}, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { ...COMMON, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  })

export const request = (id: number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

export const answerOf = (id: unknown, result: object = {}) => ({ jsonrpc: '2.0', id, result })

export const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

export const callOf = (id: number, name: string): object => request(id, 'tools/call', { name, arguments: {} })

export const INITIALIZE = request(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1.0.0' },
})

/** Opens a session. Resolves to the headers for subsequent requests in the session. */
export async function openSession(url: string, headers: Headers = {}): Promise<Headers> {
  const reply = await post(url, INITIALIZE, headers)
  await reply.text()
  const id = reply.headers.get('mcp-session-id')
  if (id === null) throw new Error(`initialize was answered with status ${reply.status}`)
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
  await (await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own)).text()
  return own
}

export interface ReadEvent {
  readonly id: string | undefined
  readonly message: object | undefined
}

/** Yields the events of a stream. */
export async function* eventsOf(reply: Response): AsyncGenerator<ReadEvent> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const data = /^data: (.+)$/m.exec(frame)?.[1]
      const message = data === undefined ? undefined : (JSON.parse(data) as object)
      yield { id: /^id: (.*)$/m.exec(frame)?.[1], message }
    }
  }
}
