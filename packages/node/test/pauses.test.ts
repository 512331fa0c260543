import { createServer as createHttp, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { deferred } from '@jetway-apps/test-support'
import { bytesOf, callFrame, createServer, raw, slowServer, until } from '@jetway-apps/test-support/http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import { serve } from './support/client.ts'

/** More bytes than a socket and a request can buffer together. */
const LARGE = 'x'.repeat(3_000_000)

/** Replaces this process's timers, so that the test does not have to wait for the limit on pauses. */
function passTime(ms: number): void {
  vi.advanceTimersByTime(ms)
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a paused connection', () => {
  it('stays open while another route slowly reads a request body, even after carrying a stream', async () => {
    fakeTimers()
    const read = deferred()
    const uploads: IncomingMessage[] = []
    const mount = mcp({ server: createServer(), stateless: true })
    const origin = await serve(async (req, res) => {
      if (req.url !== '/upload') return mount(req, res)
      uploads.push(req)
      await read.promise
      res.end(`${(await text(req)).length} bytes`)
    })
    const socket = await raw(origin, bytesOf('/mcp', callFrame('report')))
    await until(socket, '0\r\n\r\n')
    socket.write(bytesOf('/upload', LARGE))
    await vi.waitFor(() => expect(uploads[0]?.socket.isPaused()).toBe(true))
    passTime(60_000)
    read.resolve()
    expect(await until(socket, ' bytes')).toContain(`${LARGE.length} bytes`)
  })

  it("stays open while `authenticate` is pending, even if `authenticate` reads the request's signal", async () => {
    fakeTimers()
    const found = deferred<{ principal: string }>()
    const sockets: Socket[] = []
    const mount = mcp({
      server: createServer(),
      stateless: true,
      authenticate: ({ signal }) => (signal.aborted ? undefined : found.promise),
    })
    const origin = await serve((req, res) => (sockets.push(req.socket), mount(req, res)))
    const socket = await raw(origin, bytesOf('/mcp', callFrame('size', { text: LARGE })))
    await vi.waitFor(() => expect(sockets[0]?.isPaused()).toBe(true))
    passTime(60_000)
    found.resolve({ principal: 'ann' })
    expect(await until(socket, '"result"')).toContain('HTTP/1.1 200')
  })

  it('is closed after 4 s if the client sends pipelined calls without reading the replies', async () => {
    fakeTimers()
    const { server } = slowServer()
    server.addTool({ name: 'large', handler: () => 'x'.repeat(30_000) })
    const mount = mcp({ server, stateless: true })
    const sockets: Socket[] = []
    const origin = await serve((req, res) => (sockets.push(req.socket), mount(req, res)))
    const socket = await raw(origin, bytesOf('/mcp', callFrame('slow')))
    await until(socket, 'notifications/progress')
    socket.write(bytesOf('/mcp', callFrame('large')).repeat(3))
    await vi.waitFor(() => expect(sockets).toHaveLength(4))
    socket.write(bytesOf('/mcp', callFrame('name')))
    await vi.waitFor(() => expect(sockets[0]?.isPaused()).toBe(true))
    // Some of the time has already passed while the test was waiting.
    passTime(3_000)
    expect(sockets[0]?.destroyed).toBe(false)
    passTime(1_000)
    expect(sockets[0]?.destroyed).toBe(true)
    await vi.waitFor(() => expect(mount.stats().openStreams).toBe(0))
  })
})

describe('a mount on a plain node:http server', () => {
  it('responds with 500 if other code throws while the headers are being sent', async () => {
    const error = vi.fn<(fields: object, message: string) => void>()
    const logger = { debug: () => {}, info: () => {}, warn: () => {}, error }
    const mount = mcp({ server: createServer(), stateless: true, logger })
    const http = createHttp((req, res) => {
      const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => typeof res
      let times = 0
      res.writeHead = (...args: unknown[]) => {
        if (++times === 1) throw new Error('secret')
        return writeHead(...args)
      }
      mount(req, res)
    })
    const origin = await serve((req, res) => void http.emit('request', req, res))
    for (const name of ['name', 'report']) {
      const response = await fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: callFrame(name),
      })
      expect([name, response.status]).toEqual([name, 500])
      expect(await response.text()).not.toContain('secret')
    }
    expect(error).toHaveBeenCalledTimes(2)
    expect(mount.stats().openStreams).toBe(0)
  })
})
