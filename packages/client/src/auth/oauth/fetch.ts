import { lookup } from 'node:dns/promises'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestSecure } from 'node:https'
import { Readable } from 'node:stream'
import type { AddressPolicy } from './addresses.ts'
import { AuthorizationError } from './errors.ts'

/** An IP address to which a host name resolves. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/** A `fetch` that does not follow redirects. */
export type PlainFetch = (url: string, init: RequestInit) => Promise<Response>

/** Limits for a response from an authorization server. */
export interface FetchLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/**
 * Returns a `fetch` for URLs from metadata. It checks the address, does not follow redirects, and limits the
 * response.
 */
export function guardedFetch(policy: AddressPolicy, send: SendRequest, limits: FetchLimits): PlainFetch {
  return async (address, init) => {
    const url = policy.check(address)
    const timeout = AbortSignal.timeout(limits.timeoutMs)
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout
    try {
      const response = await send(url, { ...init, redirect: 'manual', signal })
      if (response.type === 'opaqueredirect')
        throw new AuthorizationError('address', `${url.origin} redirects`)
      return await within(response, url, limits.maxBytes, signal)
    } catch (error) {
      if (error instanceof AuthorizationError) throw error
      init.signal?.throwIfAborted()
      const why = timeout.aborted ? `did not answer within ${limits.timeoutMs} ms` : 'could not be reached'
      throw new AuthorizationError('network', `${url.origin} ${why}`)
    }
  }
}

export type SendRequest = (url: URL, init: RequestInit) => Promise<Response>

async function within(response: Response, url: URL, maxBytes: number, signal: AbortSignal) {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    signal.throwIfAborted()
    bytes += chunk.byteLength
    if (bytes > maxBytes)
      throw new AuthorizationError('network', `${url.origin} answered with more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const { status, headers } = response
  return new Response(bytes === 0 ? null : new Blob(chunks), { status, headers })
}

/**
 * Resolves the name, checks every address, and connects to one of them, so that a second lookup cannot return a
 * different address (DNS rebinding). Connections are not reused, and proxy variables are ignored.
 */
export function connectChecked(policy: AddressPolicy, resolve: Resolve = resolveAll): SendRequest {
  return async (url, init) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = await resolve(host)
    if (addresses.length === 0) throw new AuthorizationError('network', `${url.origin} has no address`)
    if (!addresses.every(({ address }) => policy.allows(url, address)))
      throw new AuthorizationError(
        'address',
        `${url.origin}, named by metadata, has an address that is not public: if you trust the host, add it to allowHosts`,
      )
    init.signal?.throwIfAborted()
    return exchange(url, init, addresses)
  }
}

const resolveAll: Resolve = (host) => lookup(host, { all: true, verbatim: true })

function exchange(url: URL, init: RequestInit, addresses: readonly ResolvedAddress[]): Promise<Response> {
  const all = addresses.map((each) => ({ ...each }))
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    agent: false,
    lookup: (_host, asked, found) => {
      const [first] = addresses as [ResolvedAddress]
      if (asked.all === true) found(null, all)
      else found(null, first.address, first.family)
    },
    ...(init.signal ? { signal: init.signal } : {}),
  }
  return new Promise((answered, failed) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const request = send(url, options, (message) => answered(toResponse(message)))
    request.on('error', failed)
    request.end((init.body as URLSearchParams | string | null | undefined)?.toString())
  })
}

/** The statuses for which `Response` does not accept a body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

function toResponse(message: IncomingMessage): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headersDistinct))
    for (const each of value ?? []) headers.append(name, each)
  const status = message.statusCode ?? 500
  if (EMPTY.has(status)) message.resume()
  const body = EMPTY.has(status) ? null : Readable.toWeb(message)
  return new Response(body as BodyInit | null, { status, headers })
}
