import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** The endpoints that a test can disrupt or count. `metadata` stands for both documents below `/.well-known`. */
export type Endpoint =
  | 'metadata'
  | 'keys'
  | 'registration'
  | 'authorization'
  | 'token'
  | 'introspection'
  | 'revocation'

/**
 * How an endpoint fails: with status 503, by closing the connection, or by not responding until `restore` is
 * called.
 */
export type Disruption = 'unavailable' | 'unreachable' | 'silent'

/** The path of each endpoint. Paths below the one of `authorization` also belong to that endpoint. */
export const PATHS: Readonly<Record<Exclude<Endpoint, 'metadata'>, string>> = {
  authorization: '/authorize',
  introspection: '/introspect',
  keys: '/keys',
  registration: '/register',
  revocation: '/revoke',
  token: '/token',
}

/** Counts the requests to each endpoint, and makes endpoints fail that a test has disrupted. */
export class Front {
  readonly #counts = new Map<Endpoint, number>()
  readonly #disruptions = new Map<Endpoint, Disruption>()
  /** Functions that let pending requests continue. */
  readonly #waiting = new Set<() => void>()
  readonly #serve: RequestListener

  constructor(serve: RequestListener) {
    this.#serve = serve
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const endpoint = endpointOf(request.url ?? '')
    const disruption = endpoint && this.#disruptions.get(endpoint)
    if (endpoint !== undefined) this.#counts.set(endpoint, this.requests(endpoint) + 1)
    if (disruption === undefined) return this.#serve(request, response)
    if (disruption === 'unavailable') return void response.writeHead(503).end()
    if (disruption === 'unreachable') return void request.socket.destroy()
    const resume = (): void => this.#serve(request, response)
    this.#waiting.add(resume)
    response.on('close', () => this.#waiting.delete(resume))
  }

  disrupt(endpoint: Endpoint, disruption: Disruption): void {
    this.#disruptions.set(endpoint, disruption)
  }

  restore(): void {
    this.#disruptions.clear()
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  requests(endpoint: Endpoint): number {
    return this.#counts.get(endpoint) ?? 0
  }
}

function endpointOf(url: string): Endpoint | undefined {
  const { pathname } = new URL(url, 'http://localhost')
  if (pathname.startsWith('/.well-known/')) return 'metadata'
  const named = Object.entries(PATHS) as [Endpoint, string][]
  return named.find(([, path]) => pathname === path || pathname.startsWith(`${path}/`))?.[0]
}
