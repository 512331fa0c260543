import type { EventStream } from './event-stream.ts'
import { Latencies, type LoadResult } from './load-result.ts'

/**
 * Notifies all streams repeatedly. Each notification is sent after all streams have received the previous one.
 */
export async function loadNotifications(
  streams: readonly EventStream[],
  { seconds, notify }: { readonly seconds: number; readonly notify: () => void },
): Promise<LoadResult> {
  const latencies = new Latencies()
  const start = performance.now()
  let completed = 0
  for (let now = start; now < start + seconds * 1000; now = performance.now()) {
    const received = receivedByAll(streams)
    notify()
    await received
    latencies.add(performance.now() - now)
    completed++
  }
  return { completed, seconds: (performance.now() - start) / 1000, latencies: latencies.sorted() }
}

function receivedByAll(streams: readonly EventStream[]): Promise<void> {
  return new Promise((resolve) => {
    let missing = streams.length
    for (const stream of streams) {
      stream.onNotification = () => {
        stream.onNotification = () => {}
        if (--missing === 0) resolve()
      }
    }
  })
}
