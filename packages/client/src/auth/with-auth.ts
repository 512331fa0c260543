import { MAX_AUTH_RETRIES, type AuthAnswer, type AuthHeaders, type AuthProvider } from './provider.ts'

/** The part of `fetch` that is wrapped. A body that is a stream can be sent once only, so it is not sent again. */
export type AuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** What of `fetch` is used. */
type PlainFetch = (url: string, init: RequestInit) => Promise<Response>

const CHALLENGES: ReadonlySet<number> = new Set([401, 403])

/**
 * A `fetch` whose requests carry the credentials of a provider, and are sent again when the provider says so.
 *
 * Credentials go to the origin of `resource` and nowhere else: a request to another origin is refused. A redirect is an
 * answer like any other, since `fetch` would take headers along that are not for strangers: whoever follows it sends a
 * request of its own, which has credentials of its own.
 *
 * @param resource the address of the server, as it was configured
 * @throws TypeError for a request to another origin; what the provider throws; what `fetch` throws
 */
export function withAuth(fetch: PlainFetch, provider: AuthProvider, resource: string | URL): AuthFetch {
  const server = new URL(resource)
  return async (url, init = {}) => {
    const target = new URL(url)
    const request: RequestInit = { ...init, redirect: 'manual' }
    for (let retries = 0; ; retries++) {
      const { response, answer } = await send(fetch, provider, server, target, request)
      if (!CHALLENGES.has(response.status) || provider.challenged === undefined) {
        provider.answered?.(answer)
        return response
      }
      if (retries >= MAX_AUTH_RETRIES || !isRepeatable(request.body)) return response
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

const isRepeatable = (body: RequestInit['body']): boolean => !(body instanceof ReadableStream)
