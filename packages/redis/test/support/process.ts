import { initialize, INITIALIZED, type SentMessage, silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { type FetchHandler, type FetchOptions, toFetch } from '@jetway/core/http'
import { onTestFinished } from 'vitest'
import type { RedisStores } from '../../src/index.ts'

interface Options {
  readonly name?: string
  readonly sessions?: FetchOptions['sessions']
  /** Whether the header `user` of a request has its principal. @default all clients are anonymous */
  readonly users?: boolean
  readonly setUp?: (server: McpServer) => void
}

/** A server over stores, as one process has it. */
export interface ServedProcess {
  readonly server: McpServer
  readonly mount: FetchHandler
  /** Posts a message in a session. */
  post(message: SentMessage, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Opens a session, and returns the headers of its requests. */
  open(headers?: Readonly<Record<string, string>>): Promise<Record<string, string>>
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
  const post = (message: SentMessage, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
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
  return {
    server,
    mount,
    post,
    open: async (headers = {}) => {
      const opened = await post(initialize(), headers)
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      if (opened.status !== 200) throw new Error(await opened.text())
      await post(INITIALIZED, session)
      return session
    },
  }
}
