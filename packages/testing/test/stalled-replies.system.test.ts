import { connect, type Socket } from 'node:net'
import { bytesOf, callFrame, HEADERS, openSession } from '@jetway-apps/test-support/http'
import { type Mounted, NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished } from 'vitest'

const SIZE = 30_000_000

function create(): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { limits: { maxResultBytes: 2 * SIZE } })
  server.addTool({ name: 'large', handler: () => 'x'.repeat(SIZE) })
  server.addTool({ name: 'small', handler: () => 'x' })
  server.addTool({
    name: 'flood',
    async handler(_args, ctx) {
      const message = 'x'.repeat(65_536)
      for (let step = 1; step <= SIZE / message.length; step++) await ctx.progress(step, undefined, message)
      return 'flooded'
    },
  })
  return server
}

/** Connects a client that does not read. Returns it together with its socket on the server. */
async function connected({ http, port }: Mounted): Promise<{ client: Socket; socket: Socket }> {
  const accepted = new Promise<Socket>((resolve) => void http.once('connection', resolve))
  const client = connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.pause()
  return { client, socket: await accepted }
}

/** Makes all callers the same principal. With anonymous callers, the oldest reply would be cut off instead. */
const authenticate = () => ({ principal: 'alice' })

const callOf = (name: string, headers = {}): string => bytesOf('/mcp', callFrame(name), headers)

describe.each(Object.entries(NODE_MOUNTS))('a large reply on %s', (_, serve) => {
  async function call(name: string) {
    const mounted = await serve(create(), { stateless: true })
    onTestFinished(mounted.stop)
    const { client, socket } = await connected(mounted)
    client.write(callOf(name))
    return { mount: mounted.handle, client, socket }
  }

  it('counts as queued while its client is not reading, and is cut off at the socket timeout', async () => {
    const { mount, client, socket } = await call('large')
    await expect.poll(() => mount.stats().queuedBytes).toBeGreaterThan(SIZE)
    expect(socket.timeout).toBe(60_000)
    const closed = new Promise((resolve) => void client.once('close', resolve))
    socket.emit('timeout')
    await expect.poll(() => mount.stats().queuedBytes).toBe(0)
    client.on('error', () => {}).resume()
    await closed
  })

  it('is sent in full to a client that is reading, and is not counted afterwards', async () => {
    const { mount, client, socket } = await call('large')
    await expect.poll(() => mount.stats().queuedBytes).toBeGreaterThan(SIZE)
    let read = 0
    client.on('data', (chunk: Buffer) => (read += chunk.length)).resume()
    await expect.poll(() => read).toBeGreaterThan(SIZE)
    await expect.poll(() => mount.stats().queuedBytes).toBe(0)
    expect([socket.destroyed, socket.timeout === 60_000]).toEqual([false, false])
  })

  it("if larger than limits.queuedBytes, causes its caller's new calls to be refused until it is read", async () => {
    const mounted = await serve(create(), { stateless: true, limits: { queuedBytes: SIZE } })
    onTestFinished(mounted.stop)
    const small = async (): Promise<(string | number | null)[]> => {
      const response = await fetch(`${mounted.origin}/mcp`, {
        method: 'POST',
        headers: HEADERS,
        body: callFrame('small'),
      })
      await response.text()
      return [response.status, response.headers.get('retry-after')]
    }
    const { client } = await connected(mounted)
    client.write(callOf('large'))
    await expect.poll(() => mounted.handle.stats().queuedBytes).toBeGreaterThan(SIZE)
    expect(await small()).toEqual([503, '1'])
    client.resume()
    await expect.poll(() => mounted.handle.stats().queuedBytes).toBe(0)
    expect(await small()).toEqual([200, null])
  })

  it('has a shorter timeout while requests from its caller are being refused', async () => {
    const mounted = await serve(create(), {
      stateless: true,
      authenticate,
      limits: { queuedBytes: 3 * SIZE },
    })
    onTestFinished(mounted.stop)
    const first = await connected(mounted)
    first.client.write(callOf('large'))
    await expect.poll(() => first.socket.timeout).toBe(60_000)
    const second = await connected(mounted)
    second.client.write(callOf('large'))
    await expect.poll(() => [first.socket.timeout, second.socket.timeout]).toEqual([5_000, 5_000])
  })

  it('is cut off immediately if anonymous callers hold more than half of limits.queuedBytes', async () => {
    const mounted = await serve(create(), { stateless: true, limits: { queuedBytes: 3 * SIZE } })
    onTestFinished(mounted.stop)
    const first = await connected(mounted)
    first.client.on('error', () => {}).write(callOf('large'))
    await expect.poll(() => first.socket.timeout).toBe(60_000)
    const second = await connected(mounted)
    second.client.write(callOf('large'))
    await expect.poll(() => [first.socket.destroyed, second.socket.destroyed]).toEqual([true, false])
    await expect.poll(() => mounted.handle.stats().queuedBytes).toBeLessThan(2 * SIZE)
  })

  it('is no longer counted once its connection has closed', async () => {
    const mounted = await serve(create())
    onTestFinished(mounted.stop)
    const session = await openSession(`${mounted.origin}/mcp`)
    const { client } = await connected(mounted)
    client.write(bytesOf('/mcp', '', session, 'GET') + callOf('large', session))
    await expect.poll(() => mounted.handle.stats().queuedBytes).toBeGreaterThan(SIZE)
    client.destroy()
    await expect.poll(() => mounted.handle.stats().queuedBytes).toBe(0)
  })

  it('does not delay a small reply', async () => {
    const { client, socket } = await call('small')
    await new Promise((resolve) => void client.once('data', resolve).resume())
    expect(socket.timeout).not.toBe(60_000)
  })

  describe('in a stream', () => {
    it('is cut off if its client reads nothing until the socket timeout', async () => {
      const { mount, client, socket } = await call('flood')
      await expect.poll(() => socket.timeout).toBe(60_000)
      const closed = new Promise((resolve) => void client.once('close', resolve))
      socket.emit('timeout')
      await expect.poll(() => mount.stats().openStreams).toBe(0)
      client.on('error', () => {}).resume()
      await closed
    })

    it('is sent in full if its client resumes reading, after which the socket has its old timeout', async () => {
      const { client, socket } = await call('flood')
      const before = socket.timeout
      await expect.poll(() => socket.timeout).toBe(60_000)
      let received = ''
      client
        .setEncoding('utf8')
        .on('data', (text: string) => (received += text.slice(-1_000)))
        .resume()
      await expect.poll(() => received).toContain('"text":"flooded"')
      expect([socket.destroyed, socket.timeout === 60_000, before === 60_000]).toEqual([false, false, false])
    })
  })
})
