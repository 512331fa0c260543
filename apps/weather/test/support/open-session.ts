import { initialize, INITIALIZED } from '@jetway-apps/test-support'

/** A session over plain HTTP, to test what a client would hide. */
export interface RawSession {
  readonly protocolVersion: string
  post(message: object): Promise<Response>
  /** Opens the GET stream. */
  listen(): Promise<Response>
}

interface Initialized {
  readonly result: { readonly protocolVersion: string }
}

export async function openSession(url: string): Promise<RawSession> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const post = (message: object): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })

  const initialized = await post(initialize())
  const { result } = (await initialized.json()) as Initialized
  headers['mcp-session-id'] = initialized.headers.get('mcp-session-id') ?? ''
  headers['mcp-protocol-version'] = result.protocolVersion
  await (await post(INITIALIZED)).text()
  return {
    protocolVersion: result.protocolVersion,
    post,
    listen: () => fetch(url, { headers: { ...headers, accept: 'text/event-stream' } }),
  }
}
