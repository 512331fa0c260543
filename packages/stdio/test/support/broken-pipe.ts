import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { callTool, initialize, REVISION } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { serveStdio } from '../../src/serve.ts'

const AT_ONCE = 20

const mcp = new McpServer({ name: 'pipes', version: '1.0.0' })
mcp.addTool({ name: 'big', handler: () => 'x'.repeat(256 * 1024) })

const lines = [
  initialize(REVISION, { id: 0 }),
  ...Array.from({ length: 8 }, (_, index) => callTool('big', {}, { id: index + 1 })),
].map((message) => `${JSON.stringify(message)}\n`)

/**
 * Serves many clients over sockets that disconnect during a response.
 *
 * @returns all uncaught exceptions
 */
export async function breakPipes(cycles: number): Promise<readonly unknown[]> {
  const uncaught: unknown[] = []
  const note = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtExceptionMonitor', note)
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  for (let done = 0; done < cycles; done += AT_ONCE) {
    const pairs: [Socket, Socket][] = []
    for (let i = 0; i < AT_ONCE; i++) pairs.push(await openPair(listener))
    await Promise.all(pairs.map(cycle))
  }
  listener.close()
  process.off('uncaughtExceptionMonitor', note)
  return uncaught
}

async function openPair(listener: Server): Promise<[Socket, Socket]> {
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
  const [server] = (await once(listener, 'connection')) as [Socket]
  return [client, server]
}

async function cycle([client, server]: [Socket, Socket]): Promise<void> {
  const handle = await serveStdio(mcp, { input: server, output: server, drainMs: 200 })
  client.on('error', () => {})
  client.write(lines.join(''))
  await once(client, 'data')
  // The client resets the socket so that the pending write fails.
  client.resetAndDestroy()
  await handle.closed
  server.destroy()
}
