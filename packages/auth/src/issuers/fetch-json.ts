import type { Clock } from '@jetway/core/stores'
import { Unavailable } from '../tokens/refused.ts'

/** A request for an authorization server's JSON document. */
export interface JsonRequest {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly init?: Pick<RequestInit, 'method' | 'headers' | 'body'>
}

/** Returns the parsed body of a reply with status 200. @throws Unavailable */
export type FetchJson = (url: string, request: JsonRequest) => Promise<unknown>

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Returns whether a URL names the local machine, where `http:` is safe. */
export const isLoopback = (url: URL): boolean => LOOPBACK.test(url.hostname)

/** Returns whether a URL may be an issuer, or the address of an issuer's documents. */
export const isTrustworthy = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const parsed = new URL(url)
  return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopback(parsed))
}

/**
 * Fetches JSON over HTTPS. Redirects are not followed, because a different host would then reply in place of
 * the authorization server.
 */
export function createFetchJson(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  clock: Clock,
): FetchJson {
  return async (url, { timeoutMs, maxBytes, init }) => {
    if (!isTrustworthy(url)) throw new Unavailable(`${url} is not an https: URL`)
    const abort = new AbortController()
    const timer = clock.setTimeout(() => abort.abort(), timeoutMs)
    try {
      // Workers do not support `redirect: 'error'`.
      const response = await fetch(url, { ...init, redirect: 'manual', signal: abort.signal })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Unavailable(`${url} replied with status ${response.status}`)
      }
      return JSON.parse(await readText(response, maxBytes, url)) as unknown
    } catch (error) {
      if (error instanceof Unavailable) throw error
      throw new Unavailable(`${url} cannot be read${abort.signal.aborted ? ` within ${timeoutMs} ms` : ''}`, {
        cause: error,
      })
    } finally {
      clock.clearTimeout(timer)
    }
  }
}

async function readText(response: Response, maxBytes: number, url: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    size += read.value.byteLength
    chunks.push(read.value)
    if (size <= maxBytes) continue
    await reader?.cancel()
    throw new Unavailable(`${url} has more than ${maxBytes} bytes`)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return new TextDecoder().decode(bytes)
}
