import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { UsageError } from '@jetway/core'
import { AuthorizationError } from './errors.ts'

/** Where the browser comes back to on this machine. */
export interface LoopbackOptions {
  /** Shows an address to the user. It comes from strangers: hand it to the system without a shell. */
  open(url: URL): void | Promise<void>
  /** A fixed port, for registrations name it. */
  readonly port: number
  /** @default '/callback' */
  readonly path?: string
  /** What the user reads when done. */
  readonly page?: string
}

/** What `authorizationCode` needs, from a server on loopback. */
export interface LoopbackRedirect {
  readonly redirectUri: string
  readonly authorize: (url: URL, context: { readonly signal: AbortSignal }) => Promise<string>
}

const PAGE = '<!doctype html><meta charset="utf-8"><title>Done</title><p>You can close this window.'

/**
 * Receives the browser's way back at `http://127.0.0.1:port/path`. It listens while a user is asked, and for that one
 * answer: `authorizationCode({ ...loopbackRedirect({ port: 33_418, open }) })`.
 *
 * @throws UsageError `ERR_MCP_OPTION` for a port that is none; `authorize` fails where the port is taken
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 */
export function loopbackRedirect(options: LoopbackOptions): LoopbackRedirect {
  const { port, path = '/callback', page = PAGE } = options
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError('ERR_MCP_OPTION', `${port} is no port to listen at`)
  const redirectUri = `http://127.0.0.1:${port}${path}`
  return {
    redirectUri,
    authorize: async (url, { signal }) => {
      const server = createServer()
      const back = answerOn(server, redirectUri, page)
      try {
        server.listen(port, '127.0.0.1')
        await once(server, 'listening', { signal })
        await options.open(url)
        return await Promise.race([back, aborted(signal)])
      } finally {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

/** The first request for the address, whatever it says: what it says is checked by who asked. */
function answerOn(server: Server, redirectUri: string, page: string): Promise<string> {
  const { pathname, origin, host } = new URL(redirectUri)
  return new Promise((found) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', origin)
      // A page elsewhere that was made to resolve to loopback says so by its own name.
      if (request.headers.host !== host || url.pathname !== pathname || url.search === '') {
        response.writeHead(404).end()
        return
      }
      response.on('finish', () => found(url.href))
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        .end(page)
    })
  })
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const stop = (): void => fail(new AuthorizationError('refused', 'The user was not waited for any longer'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
