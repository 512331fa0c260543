import { lookup } from 'node:dns/promises'
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestSecure } from 'node:https'
import { Readable } from 'node:stream'
import type { AddressPolicy } from './addresses.ts'
import { AuthorizationError } from './errors.ts'

/** An IP address that a name was resolved to. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>

/** Sends one request and follows no redirect. */
export type PlainFetch = (url: string, init: RequestInit) => Promise<Response>

/** Longest answer of an authorization server, and longest time until it is there. */
export interface FetchLimits {
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** A `fetch` for addresses given by strangers: it checks where it goes, stays there, and limits what comes back. */
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

/** Sends a request to an address that was checked as far as its text goes. */
export type SendRequest = (url: URL, init: RequestInit) => Promise<Response>

async function within(
  response: Response,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Response> {
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
 * Sends over `node:http` and `node:https`, whose connections can be told the address to use: names are resolved first,
 * every address is checked, and the connection goes to one of these, so that a second look-up can't answer otherwise.
 * Nothing is kept alive, and no proxy of the environment is used.
 */
export function connectChecked(policy: AddressPolicy, resolve: Resolve = resolveAll): SendRequest {
  return async (url, init) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = await resolve(host)
    if (addresses.length === 0) throw new AuthorizationError('network', `${url.origin} has no address`)
    if (!addresses.every(({ address }) => policy.allows(url, address)))
      throw new AuthorizationError(
        'address',
        `${url.origin}, named by metadata, has an address that is not public; allow it with allowHosts if that is meant`,
      )
    init.signal?.throwIfAborted()
    return exchange(url, init, addresses)
  }
}

const resolveAll: Resolve = (host) => lookup(host, { all: true, verbatim: true })

function exchange(url: URL, init: RequestInit, addresses: readonly ResolvedAddress[]): Promise<Response> {
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    agent: false,
    lookup: (_host, asked, found) => {
      const [first] = addresses as [ResolvedAddress]
      if (asked.all === true)
        found(
          null,
          addresses.map((each) => ({ ...each })),
        )
      else found(null, first.address, first.family)
    },
    ...(init.signal ? { signal: init.signal } : {}),
  }
  return new Promise((answered, failed) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const request = send(url, options, (message) => answered(toResponse(message)))
    request.on('error', failed)
    request.end(
      typeof init.body === 'string'
        ? init.body
        : init.body instanceof URLSearchParams
          ? `${init.body}`
          : undefined,
    )
  })
}

/** Statuses whose answers have no body, and which `Response` takes none with. */
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
