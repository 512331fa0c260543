import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { callTool } from '@jetway-apps/test-support'
import { bytesOf } from '@jetway-apps/test-support/http'
import { McpServer, type MountHandle } from '@jetway/core'
import { mcp as onFastify } from '@jetway/fastify'
import { mcp as onNode } from '@jetway/node'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'

const SIZE = 30_000_000

function create(): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { limits: { maxResultBytes: 2 * SIZE } })
  server.addTool({ name: 'large', handler: () => 'x'.repeat(SIZE) })
  server.addTool({ name: 'small', handler: () => 'x' })
  return server
}

interface Mounted {
  readonly http: Server
  readonly mount: MountHandle
}

async function serveNode(): Promise<Mounted> {
  const mount = onNode({ server: create(), stateless: true })
  const http = createServer(mount)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await mount.close({ deadline: 0 })
    http.closeAllConnections()
    http.close()
  })
  return { http, mount }
}

async function serveFastify(): Promise<Mounted> {
  const app = Fastify()
  let mount: MountHandle | undefined
  await app.register(onFastify, { server: create(), stateless: true, onMount: (made) => (mount = made) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  if (mount === undefined) throw new Error('no mount')
  return { http: app.server, mount }
}

describe.each([
  ['Node', serveNode],
  ['Fastify', serveFastify],
])('a large reply on %s', (_, serve) => {
  async function call(name: string) {
    const { http, mount } = await serve()
    const accepted = new Promise<Socket>((resolve) => void http.once('connection', resolve))
    const client = connect((http.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    const socket = await accepted
    client.pause()
    client.write(bytesOf('/mcp', JSON.stringify(callTool(name, {}, { id: 1 }))))
    return { mount, client, socket }
  }

  it('counts as queued while its client does not read, and ends with the connection when the time of its socket is over', async () => {
    const { mount, client, socket } = await call('large')
    await expect.poll(() => mount.stats().queuedBytes).toBeGreaterThan(SIZE)
    expect(socket.timeout).toBe(60_000)
    const closed = new Promise((resolve) => void client.once('close', resolve))
    socket.emit('timeout')
    await expect.poll(() => mount.stats().queuedBytes).toBe(0)
    client.on('error', () => {}).resume()
    await closed
  })

  it('is sent whole to a client that reads, and then counts no more', async () => {
    const { mount, client, socket } = await call('large')
    await expect.poll(() => mount.stats().queuedBytes).toBeGreaterThan(SIZE)
    let read = 0
    client.on('data', (chunk: Buffer) => (read += chunk.length)).resume()
    await expect.poll(() => read).toBeGreaterThan(SIZE)
    await expect.poll(() => mount.stats().queuedBytes).toBe(0)
    expect([socket.destroyed, socket.timeout === 60_000]).toEqual([false, false])
  })

  it('costs a small reply nothing', async () => {
    const { client, socket } = await call('small')
    await new Promise((resolve) => void client.once('data', resolve).resume())
    expect(socket.timeout).not.toBe(60_000)
  })
})
