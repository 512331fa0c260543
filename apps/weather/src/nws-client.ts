import { setTimeout as pause } from 'node:timers/promises'
import { ToolError } from '@jetway/core'
import type { z } from 'zod'

export interface NwsClientOptions {
  /** @default 'https://api.weather.gov' */
  readonly baseUrl?: string
  /** The time limit for one request including its body, in ms. @default 10_000 */
  readonly timeoutMs?: number
  /** The delay before a failed request is repeated once, in ms. @default 500 */
  readonly retryAfterMs?: number
  /** The User-Agent, which the service requires. @default 'jetway-weather/1.0' */
  readonly userAgent?: string
}

/**
 * Reads from the National Weather Service. Every failure becomes a {@link ToolError} with a clear message.
 */
export interface NwsClient {
  /**
   * @param address - a path, or an address returned by the service
   * @param missing - the message if the service has nothing at this address
   */
  get<Answer>(
    address: string,
    shape: z.ZodType<Answer>,
    missing: string,
    signal: AbortSignal,
  ): Promise<Answer>
}

export function nwsClient({
  baseUrl = 'https://api.weather.gov',
  timeoutMs = 10_000,
  retryAfterMs = 500,
  userAgent = 'jetway-weather/1.0',
}: NwsClientOptions = {}): NwsClient {
  const base = new URL(baseUrl)
  const headers = { accept: 'application/geo+json', 'user-agent': userAgent }

  /** Sends one request. The timeout also covers the body. */
  async function request(url: URL, signal: AbortSignal): Promise<{ status: number; body: string }> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      // Redirects are not followed, because they could lead into the local network.
      const response = await fetch(url, {
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      })
      return { status: response.status, body: await response.text() }
    } catch (cause) {
      signal.throwIfAborted()
      if (timeout.aborted) {
        throw new ToolError(`The weather service did not answer within ${timeoutMs / 1000} seconds.`, {
          cause,
        })
      }
      throw new ToolError('The weather service cannot be reached.', { cause })
    }
  }

  return {
    async get(address, shape, missing, signal) {
      const url = new URL(address, base)
      if (url.origin !== base.origin) throw new ToolError('The weather service pointed to another server.')
      let answer = await request(url, signal)
      if (answer.status >= 500) {
        await pause(retryAfterMs, undefined, { signal })
        answer = await request(url, signal)
      }
      return read(answer, shape, missing)
    },
  }
}

function read<Answer>(
  answer: { status: number; body: string },
  shape: z.ZodType<Answer>,
  missing: string,
): Answer {
  const { status, body } = answer
  if (status === 404) throw new ToolError(missing)
  if (status >= 500)
    throw new ToolError(`The weather service has a problem (HTTP ${status}). Try again in a minute.`)
  if (status !== 200) throw new ToolError(`The weather service refused the request (HTTP ${status}).`)
  try {
    return shape.parse(JSON.parse(body))
  } catch (cause) {
    throw new ToolError('The weather service answered in a form that this server does not know.', { cause })
  }
}
