import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { UsageError } from '@jetway/core'
import { abortable } from '../../util/promises.ts'

/** The options for redirects to a loopback address (RFC 8252, section 7.3). */
export interface LoopbackOptions {
  /** Opens a URL in the browser. The URL comes from the server, so do not pass it to a shell. */
  open(url: URL): void | Promise<void>
  /** The port. It is fixed, because it is part of the registered redirect URI. */
  readonly port: number
  /** The path of the redirect. @default '/callback' */
  readonly path?: string
  /** The HTML page that the user sees after the redirect. */
  readonly page?: string
}

/** Options for `authorizationCode`. */
export interface LoopbackRedirect {
  readonly redirectUri: string
  readonly authorize: (url: URL, context: { readonly signal: AbortSignal }) => Promise<string>
}

const PAGE = '<!doctype html><meta charset="utf-8"><title>Done</title><p>You can close this window.'

/**
 * Returns options that make the client receive the redirect at `http://127.0.0.1:port/path`. It listens only
 * while it waits for the user: `authorizationCode({ ...loopbackRedirect({ port: 33_418, open }) })`.
 *
 * @throws UsageError `ERR_MCP_OPTION` for an invalid port; `authorize` rejects if the port is in use
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function loopbackRedirect(options: LoopbackOptions): LoopbackRedirect {
  const { port, path = '/callback', page = PAGE } = options
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError('ERR_MCP_OPTION', `${port} is not a valid port`)
  const redirectUri = `http://127.0.0.1:${port}${path}`
  return {
    redirectUri,
    authorize: async (url, { signal }) => {
      const server = createServer()
      const back = answerOn(server, redirectUri, { page, state: url.searchParams.get('state') })
      try {
        server.listen(port, '127.0.0.1')
        await once(server, 'listening', { signal })
        await options.open(url)
        return await abortable(back, signal)
      } finally {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

/**
 * Resolves to the URL of the first request with this state. Other requests are ignored, because any page in the
 * browser can send them. `authorizationCode` validates the rest.
 */
function answerOn(
  server: Server,
  redirectUri: string,
  { page, state }: { readonly page: string; readonly state: string | null },
): Promise<string> {
  const { pathname, origin, host } = new URL(redirectUri)
  return new Promise((found) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', origin)
      // In a DNS rebinding attack, a request from another site has that site's name as its host.
      const isHere = request.method === 'GET' && request.headers.host === host && url.pathname === pathname
      if (!isHere || url.searchParams.get('state') !== state) {
        response.writeHead(isHere ? 400 : 404).end()
        return
      }
      response.on('finish', () => found(url.href))
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        .end(page)
    })
  })
}
