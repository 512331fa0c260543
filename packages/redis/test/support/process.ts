import { initialize, INITIALIZED, type SentMessage, silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { type FetchHandler, type FetchOptions, toFetch } from '@jetway/core/http'
import { onTestFinished, vi } from 'vitest'
import type { RedisStores } from '../../src/index.ts'

interface Options {
  readonly name?: string
  readonly sessions?: FetchOptions['sessions']
  /** If true, the `user` header of a request contains its principal. @default all clients are anonymous */
  readonly users?: boolean
  readonly setUp?: (server: McpServer) => void
}

type Sent = Readonly<Record<string, string>>

/** A server that uses the stores as one process of a deployment would. */
export interface ServedProcess {
  readonly server: McpServer
  readonly mount: FetchHandler
  /** Posts a message in a session. */
  post(message: SentMessage, headers?: Sent): Promise<Response>
  /** Sends `initialize`. Returns the headers for the session's requests. */
  begin(headers?: Sent, capabilities?: object): Promise<Sent>
  /** Opens a session. Returns the headers for its requests. */
  open(headers?: Sent): Promise<Sent>
}

export function serve(
  shared: RedisStores,
  { name = 'acme', sessions, users = false, setUp }: Options = {},
): ServedProcess {
  const server = new McpServer({ name, version: '1' }, { shared, logger: silent })
  setUp?.(server)
  const mount = toFetch(server, {
    sessions: { verifyMs: 0, ...sessions },
    ...(users && { authenticate: (request) => ({ principal: request.header('user') ?? '' }) }),
    logger: silent,
  })
  onTestFinished(() => server.close())
  const post = (message: SentMessage, headers: Sent = {}): Promise<Response> =>
    mount(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(message),
      }),
    )
  const begin = async (headers: Sent = {}, capabilities: object = {}): Promise<Sent> => {
    // On a busy machine, a command may take longer than the allowed 500 ms.
    const opened = await vi.waitFor(async () => {
      const reply = await post(initialize(undefined, { capabilities }), headers)
      if (reply.status !== 200) throw new Error(await reply.text())
      return reply
    })
    return { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  }
  return {
    server,
    mount,
    post,
    begin,
    open: async (headers) => {
      const session = await begin(headers)
      await post(INITIALIZED, session)
      return session
    },
  }
}
