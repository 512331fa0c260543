import type { HttpConnection } from './http-connection.ts'
import { Latencies, type LoadResult } from './load-result.ts'

/** One connection and what it sends, over and over: the next request's whole text. */
export interface HttpLane {
  readonly connection: HttpConnection
  readonly next: () => string
}

export interface HttpLoadOptions {
  readonly seconds: number
  /** What a right answer weighs, as the verified one did. Any other is a failure, and so is any status but 200. */
  readonly bodyBytes: number
}

/** Keeps one request on its way on each connection for the given time. Rejects at the first wrong answer. */
export function loadHttp(lanes: readonly HttpLane[], options: HttpLoadOptions): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const latencies = new Latencies()
    let completed = 0
    let busy = lanes.length
    const start = performance.now()
    const end = start + options.seconds * 1000
    const letSleep = stayAwake()
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
        if (reply.status !== 200 || reply.bodyBytes !== options.bodyBytes) {
          const size = `${reply.bodyBytes} bytes where ${options.bodyBytes} are right`
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

/**
 * Keeps this process from sleeping between replies. Waking a process costs whoever writes to it more than the write
 * itself; a fast server never lets the load sleep, a slower one would be charged for every wake-up on top of being slower.
 */
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
