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
    const finish = (): void =>
      resolve({
        completed,
        seconds: (performance.now() - start) / 1000,
        latencies: latencies.sorted(),
      })
    for (const { connection, next } of lanes) {
      let sent = performance.now()
      connection.listen((reply) => {
        if (reply.status !== 200 || reply.bodyBytes !== options.bodyBytes) {
          const size = `${reply.bodyBytes} bytes where ${options.bodyBytes} are right`
          return reject(new Error(`Wrong answer: ${reply.status}, ${size}: ${reply.body().slice(0, 300)}`))
        }
        const now = performance.now()
        completed++
        latencies.add(now - sent)
        if (now >= end) return --busy === 0 ? finish() : undefined
        sent = now
        connection.write(next())
      }, reject)
      connection.write(next())
    }
  })
}
