import type { HttpConnection } from './http-connection.ts'
import { Latencies, type LoadResult } from './load-result.ts'

/** One connection, with the text of its next request. */
export interface HttpLane {
  readonly connection: HttpConnection
  readonly next: () => string
}

/**
 * Waking a process costs the writer more than the write. A fast server never lets the load sleep, so only a slow server
 * would pay for the wake-ups: `awake` keeps the load from sleeping. `natural` lets it sleep, as most clients do.
 */
export type Client = 'awake' | 'natural'

export interface HttpLoadOptions {
  readonly seconds: number
  /**
   * The size of a correct response, in bytes. A response with a different size or status is treated as
   * incorrect.
   */
  readonly bodyBytes: number
  /** Whether the client may sleep between replies. @default 'awake' */
  readonly client?: Client
  /** The tolerated difference in size, in bytes, because event ids become longer. @default 0 */
  readonly tolerance?: number
}

/**
 * Keeps one request in flight on each connection for the given time. Rejects at the first incorrect response.
 */
export function loadHttp(lanes: readonly HttpLane[], options: HttpLoadOptions): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const latencies = new Latencies()
    let completed = 0
    let busy = lanes.length
    const start = performance.now()
    const end = start + options.seconds * 1000
    const letSleep = options.client === 'natural' ? () => {} : stayAwake()
    const finish = (): void => {
      letSleep()
      resolve({
        completed,
        seconds: (performance.now() - start) / 1000,
        latencies: latencies.sorted(),
      })
    }
    const fail = (error: Error): void => {
      letSleep()
      reject(error)
    }
    for (const { connection, next } of lanes) {
      let sent = performance.now()
      connection.listen((reply) => {
        const { tolerance = 0, bodyBytes } = options
        if (reply.status !== 200 || Math.abs(reply.bodyBytes - bodyBytes) > tolerance) {
          const size = `${reply.bodyBytes} bytes where ${bodyBytes} are right`
          return fail(new Error(`Wrong answer: ${reply.status}, ${size}: ${reply.body().slice(0, 300)}`))
        }
        const now = performance.now()
        completed++
        latencies.add(now - sent)
        if (now >= end) return --busy === 0 ? finish() : undefined
        sent = now
        connection.write(next())
      }, fail)
      connection.write(next())
    }
  })
}

/** Prevents this process from sleeping between replies. Returns a function that allows sleeping again. */
function stayAwake(): () => void {
  let awake = true
  const turn = (): void => {
    if (awake) setImmediate(turn)
  }
  turn()
  return () => {
    awake = false
  }
}
