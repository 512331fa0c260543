import { headersFrom } from '../util/headers.ts'
import { MAX_AUTH_RETRIES, type AuthResponse, type AuthHeaders, type AuthProvider } from './provider.ts'

/** A `fetch` that adds credentials. If the request's body is a stream, the request is not resent. */
export type AuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

type PlainFetch = (url: string, init: RequestInit) => Promise<Response>

const CHALLENGES: ReadonlySet<number> = new Set([401, 403])

/**
 * Returns a `fetch` that adds a provider's credentials, and resends a request if the provider asks for a retry.
 * Credentials are sent only to the origin of `resource`, the server's URL. Redirects are not followed, because
 * `fetch` would forward the headers.
 *
 * @throws TypeError for a request to another origin, and the errors of the provider and of `fetch`
 */
export function withAuth(fetch: PlainFetch, provider: AuthProvider, resource: string | URL): AuthFetch {
  const server = new URL(resource)
  return async (url, init = {}) => {
    const target = new URL(url)
    const request: RequestInit = { ...init, redirect: 'manual' }
    for (let retries = 0; ; retries++) {
      const { response, answer } = await send(fetch, provider, server, target, request)
      if (!CHALLENGES.has(response.status) || provider.onChallenge === undefined) {
        provider.onResponse?.(answer)
        return response
      }
      if (retries >= MAX_AUTH_RETRIES || !isRepeatable(request.body)) return response
      if ((await decide(provider, answer, response)) === 'give-up') return response
      await response.body?.cancel()
    }
  }
}

/** An unread response blocks its connection, so the response is cancelled if the provider fails. */
async function decide(provider: AuthProvider, answer: AuthResponse, response: Response) {
  try {
    return await provider.onChallenge?.(answer)
  } catch (error) {
    await response.body?.cancel()
    throw error
  }
}

async function send(fetch: PlainFetch, provider: AuthProvider, server: URL, target: URL, init: RequestInit) {
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
  const response = await fetch(target.href, { ...init, headers: headersFrom(init.headers, sent) })
  return { response, answer: { ...request, sent, status: response.status, headers: response.headers } }
}

const isRepeatable = (body: RequestInit['body']): boolean => !(body instanceof ReadableStream)
