import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'
import { onTestFinished } from 'vitest'

/** A request that a scripted server received. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The body, parsed as a form. */
  readonly form: URLSearchParams
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}

export type Route = (seen: Seen) => Answer | Promise<Answer>

/**
 * An HTTP server on loopback that closes at the end of its test. The test sets responses by method and path.
 * All other requests receive 404.
 */
export interface Scripted {
  readonly origin: string
  readonly seen: Seen[]
  readonly routes: Map<string, Route>
  /** Returns the requests to one route. */
  to(route: string): readonly Seen[]
}

export async function scripted(): Promise<Scripted> {
  const seen: Seen[] = []
  const routes = new Map<string, Route>()
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://scripted')
    const body = await text(request)
    const one: Seen = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      headers: request.headers as Record<string, string>,
      body,
      form: new URLSearchParams(body),
    }
    seen.push(one)
    const answer = (await routes.get(`${one.method} ${one.path}`)?.(one)) ?? { status: 404 }
    const type = answer.json === undefined ? 'text/plain' : 'application/json'
    response.writeHead(answer.status ?? 200, { 'content-type': type, connection: 'close', ...answer.headers })
    response.end(answer.json === undefined ? answer.text : JSON.stringify(answer.json))
  }
  const { origin, release } = await listen((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  onTestFinished(release)
  return {
    origin,
    seen,
    routes,
    to: (route) => seen.filter(({ method, path }) => `${method} ${path}` === route),
  }
}
