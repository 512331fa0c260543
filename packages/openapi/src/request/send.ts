import { type RequestContext, ToolError } from '@jetway/core'
import type { SecurityScheme } from '../document/model.ts'
import { type Credential, readSecrets } from './credentials.ts'
import type { PlannedRequest, RequestPlan } from './plan.ts'
import { encode } from './styles.ts'
import { isBelow, join } from './url.ts'

/** The part of `fetch` that is used. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>

/** What the operations of a document share. */
export interface Api<App, Locals> {
  readonly base: URL
  readonly fetch: Fetch
  readonly schemes: ReadonlyMap<string, SecurityScheme>
  readonly auth: ReadonlyMap<string, Credential<App, Locals>>
}

const MAX_REDIRECTS = 5

/** A reply with the address that gave it, which differs from the first one after a redirect. */
export interface Sent {
  readonly response: Response
  readonly url: URL
}

/** Sends a request with the caller's credentials. Cancelling the call ends it. */
export async function send<App, Locals>(
  api: Api<App, Locals>,
  plan: RequestPlan,
  request: PlannedRequest,
  ctx: RequestContext<App, Locals>,
): Promise<Sent> {
  const { headers, cookies, query } = await withSecrets(api, plan, request, ctx)
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  headers.set('accept', plan.accept)
  if (request.body?.type !== undefined) headers.set('content-type', request.body.type)
  return follow(api, join(api.base, request.path, query), {
    method: plan.method.toUpperCase(),
    headers,
    ...(request.body !== undefined && { body: request.body.data }),
    redirect: 'manual',
    signal: ctx.signal,
  })
}

/** Sends a request to an address that a reply gave, such as that of the next page. */
export async function sendTo<App, Locals>(
  api: Api<App, Locals>,
  plan: RequestPlan,
  { url, request }: { readonly url: URL; readonly request: PlannedRequest },
  ctx: RequestContext<App, Locals>,
): Promise<Sent> {
  const { headers, cookies, secrets } = await withSecrets(api, plan, request, ctx)
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  headers.set('accept', plan.accept)
  for (const [name, value] of secrets) url.searchParams.set(name, decodeURIComponent(value))
  return follow(api, url, { method: 'GET', headers, redirect: 'manual', signal: ctx.signal })
}

async function withSecrets<App, Locals>(
  api: Api<App, Locals>,
  plan: RequestPlan,
  request: PlannedRequest,
  ctx: RequestContext<App, Locals>,
): Promise<{
  readonly headers: Headers
  readonly cookies: readonly string[]
  readonly query: readonly string[]
  readonly secrets: readonly (readonly [string, string])[]
}> {
  const secrets = await readSecrets(plan.security, api, ctx)
  const headers = new Headers(request.headers.map(([name, value]) => [name, value]))
  for (const [name, value] of secrets.headers) headers.set(name, value)
  const pair = ([name, value]: readonly [string, string]): string => `${encode(name)}=${value}`
  // An object in the query can have any names, so one of them may be that of an API key.
  const taken = secrets.query.find(([name]) => request.query.some((it) => it.startsWith(`${encode(name)}=`)))
  if (taken !== undefined) throw new ToolError(`The parameter ${taken[0]} cannot be an argument`)
  return {
    headers,
    cookies: [...request.cookies, ...secrets.cookies.map(pair)],
    query: [...request.query, ...secrets.query.map(pair)],
    secrets: secrets.query,
  }
}

async function follow(
  { base, fetch }: { readonly base: URL; readonly fetch: Fetch },
  first: URL,
  init: RequestInit,
): Promise<Sent> {
  let url = first
  let request = init
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await fetch(url, request)
    const target = redirectOf(response, url)
    if (target === undefined) return { response, url }
    await response.body?.cancel()
    // The request has credentials, and another host or path would get them.
    if (!isBelow(base, target))
      throw new ToolError('The API redirects outside of its base URL, which is not followed')
    url = target
    request = redirected(request, response.status)
  }
  throw new ToolError(`The API redirects more than ${MAX_REDIRECTS} times`)
}

function redirectOf({ status, headers }: Response, url: URL): URL | undefined {
  const location = headers.get('location')
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined
  return URL.canParse(location, url) ? new URL(location, url) : undefined
}

/** See https://fetch.spec.whatwg.org/#http-redirect-fetch. */
function redirected(request: RequestInit, status: number): RequestInit {
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST'
  if (!becomesGet) return request
  const { body: _, ...rest } = request
  const headers = new Headers(request.headers)
  headers.delete('content-type')
  return { ...rest, method: 'GET', headers }
}
