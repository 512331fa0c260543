import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { createServer } from '@jetway-apps/test-support/http'
import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { mcp } from '../src/index.ts'

it('app.close closes unused connections, and responds to a request that has already begun', async () => {
  const app = Fastify()
  await app.register(mcp, { server: createServer() })
  const accepted: Socket[] = []
  app.server.on('connection', (socket: Socket) => accepted.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const [silent, begun] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  begun.write('GET /page HTTP/1.1\r\nhost: 127.0.0.1\r\n')
  await vi.waitFor(() => {
    expect(accepted).toHaveLength(2)
    expect(accepted.some(({ bytesRead }) => bytesRead > 0)).toBe(true)
  })
  const closing = app.close()
  silent.resume()
  await once(silent, 'close')
  begun.write('connection: close\r\n\r\n')
  expect(await text(begun)).toMatch(/^HTTP\/1\.1 \d{3} /)
  await closing
})
