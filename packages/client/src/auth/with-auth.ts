import { MAX_AUTH_RETRIES, type AuthAnswer, type AuthHeaders, type AuthProvider } from './provider.ts'

/** The part of `fetch` that is wrapped. A body that is a stream can be sent once only, so it is not sent again. */
export type AuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** What of `fetch` is used. */
type PlainFetch = (url: string, init: RequestInit) => Promise<Response>

/** Hops within the server's own origin that one request follows. */
const MAX_REDIRECTS = 5
const CHALLENGES: ReadonlySet<number> = new Set([401, 403])
/** Redirects that keep the method and the body: https://www.rfc-editor.org/rfc/rfc9110#section-15.4 */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308])
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * A `fetch` whose requests carry the credentials of a provider, and are sent again when the provider says so.
 *
 * Credentials go to the origin of `resource` and nowhere else: a request to another origin is refused, and so is a
 * redirect to one. Redirects within the origin are followed, five at most, with headers asked for anew at each hop.
 *
 * @param resource the address of the server, as it was configured
 * @throws TypeError for a request or a redirect to another origin; what the provider throws; what `fetch` throws
 */
export function withAuth(fetch: PlainFetch, provider: AuthProvider, resource: string | URL): AuthFetch {
  const server = new URL(resource)
  return async (url, init = {}) => {
    let target = new URL(url)
    let request: RequestInit = { ...init, redirect: 'manual' }
    let retries = 0
    let redirects = 0
    for (;;) {
      const { response, answer } = await send(fetch, provider, server, target, request)
      const next = redirection(response, target, request)
      if (next !== undefined) {
        provider.answered?.(answer)
        await response.body?.cancel()
        redirects += 1
        if (redirects > MAX_REDIRECTS) throw new TypeError(`${server.origin} redirects without end`)
        ;({ target, request } = next)
        continue
      }
      if (!CHALLENGES.has(response.status) || provider.challenged === undefined) {
        provider.answered?.(answer)
        return response
      }
      if (retries >= MAX_AUTH_RETRIES || !isRepeatable(request.body)) return response
      retries += 1
      if ((await decide(provider, answer, response)) === 'give-up') return response
      await response.body?.cancel()
    }
  }
}

/** The answer that was challenged holds a connection until somebody reads it: that must end where the provider fails. */
async function decide(
  provider: AuthProvider,
  answer: AuthAnswer,
  response: Response,
): Promise<'retry' | 'give-up' | undefined> {
  try {
    return await provider.challenged?.(answer)
  } catch (error) {
    await response.body?.cancel()
    throw error
  }
}

async function send(
  fetch: PlainFetch,
  provider: AuthProvider,
  server: URL,
  target: URL,
  init: RequestInit,
): Promise<{ response: Response; answer: AuthAnswer }> {
  if (target.origin !== server.origin)
    throw new TypeError(`Credentials for ${server.origin} are not sent to ${target.origin}`)
  const request = {
    resource: server.href,
    url: target.href,
    method: init.method ?? 'GET',
    ...(typeof init.body === 'string' ? { body: init.body } : {}),
    ...(init.signal ? { signal: init.signal } : {}),
  }
  const sent: AuthHeaders = (await provider.headers(request)) ?? {}
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(sent)) headers.set(name, value)
  const response = await fetch(target.href, { ...init, headers })
  return { response, answer: { ...request, sent, status: response.status, headers: response.headers } }
}

function redirection(
  response: Response,
  from: URL,
  init: RequestInit,
): { target: URL; request: RequestInit } | undefined {
  const location = response.headers.get('location')
  if (!REDIRECTS.has(response.status) || location === null) return undefined
  const reads = init.method === undefined || init.method === 'GET'
  // A browser's way to turn a POST into a GET would lose the message; the caller gets the redirect as it is.
  if (!reads && (!KEEPS_METHOD.has(response.status) || !isRepeatable(init.body))) return undefined
  return { target: new URL(location, from), request: init }
}

const isRepeatable = (body: RequestInit['body']): boolean => !(body instanceof ReadableStream)
