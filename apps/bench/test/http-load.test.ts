import type { RequestListener } from 'node:http'
import { listen } from '@jetway-apps/test-support/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpConnection } from '../src/load/http-connection.ts'
import { loadHttp } from '../src/load/http-load.ts'
import { post } from '../src/load/http-session.ts'

async function load(listener: RequestListener, lanes: number): ReturnType<typeof loadHttp> {
  const { port, release } = await listen(listener)
  onTestFinished(release)
  const opened = await Promise.all(Array.from({ length: lanes }, () => HttpConnection.open(port)))
  onTestFinished(() => {
    for (const connection of opened) connection.close()
  })
  const next = (): string => post(port, {}, '{}')
  return loadHttp(
    opened.map((connection) => ({ connection, next })),
    { seconds: 0.05, bodyBytes: 2 },
  )
}

describe('loadHttp', () => {
  it('counts each response once across all connections', async () => {
    let answered = 0
    const result = await load((_request, response) => {
      answered++
      response.end('ok')
    }, 3)
    expect(result.completed).toBe(answered)
    expect(result.latencies).toHaveLength(answered)
    expect(answered).toBeGreaterThanOrEqual(3)
  })

  it('rejects if a status is not 200', async () => {
    const failing = load((_request, response) => response.writeHead(503).end('no'), 1)
    await expect(failing).rejects.toThrow('Wrong answer: 503')
  })

  it('rejects if a response does not have the expected size', async () => {
    await expect(load((_request, response) => response.end('odd'), 1)).rejects.toThrow('Wrong answer: 200')
  })

  it('rejects if the server disconnects', async () => {
    await expect(load((request) => request.socket.destroy(), 1)).rejects.toThrow()
  })
})
