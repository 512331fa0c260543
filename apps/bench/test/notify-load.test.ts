import type { ServerResponse } from 'node:http'
import { listen } from '@jetway-apps/test-support/http'
import { expect, it, onTestFinished } from 'vitest'
import { EventStream } from '../src/load/event-stream.ts'
import { loadNotifications } from '../src/load/notify-load.ts'

it('loadNotifications() counts a notification once all streams have received it', async () => {
  const replies: ServerResponse[] = []
  const { port, release } = await listen((_request, response) => {
    replies.push(response.writeHead(200))
    response.flushHeaders()
  })
  onTestFinished(release)
  const streams = [await EventStream.open(port, {}), await EventStream.open(port, {})]
  onTestFinished(() => {
    for (const stream of streams) stream.close()
  })
  let written = 0
  const notify = (): void => {
    for (const reply of replies) reply.write('data: {"jsonrpc":"2.0"}\n\n')
    written += replies.length
  }
  const { completed, latencies } = await loadNotifications(streams, { seconds: 0.05, notify })
  expect(completed).toBeGreaterThan(0)
  expect(latencies).toHaveLength(completed)
  expect(written).toBe(completed * streams.length)
})

it('loadNotifications() rejects if the server refuses a stream', async () => {
  const { port, release } = await listen((_request, response) => response.writeHead(503).end())
  onTestFinished(release)
  await expect(EventStream.open(port, {})).rejects.toThrow('GET was answered HTTP/1.1 503')
})
