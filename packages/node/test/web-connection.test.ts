import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { nodeConnection } from '@jetway/node/connection'
import { describe, expect, it } from 'vitest'

describe('nodeConnection', () => {
  it.each<[string, object, readonly unknown[]]>([
    ['@hono/node-server', {}, [{ incoming: { socket: { localAddress: '127.0.0.1' } } }]],
    ['srvx', { runtime: { node: { req: { socket: { localAddress: '::1' } } } } }, []],
  ])('lets toFetch refuse foreign hosts on a loopback socket in %s', async (_host, members, environment) => {
    const handler = toFetch(new McpServer({ name: 'test', version: '1.0.0' }), {
      connection: nodeConnection,
    })
    const statusOf = async (host: string): Promise<number> => {
      const request = new Request('http://localhost/mcp', { method: 'OPTIONS', headers: { host } })
      return (await handler(Object.assign(request, members), ...environment)).status
    }
    expect(await statusOf('localhost:3000')).toBe(204)
    expect(await statusOf('rebound.example')).toBe(403)
  })

  it("finds no connection in a Worker's bindings", () => {
    expect(nodeConnection(new Request('http://localhost/'), [{ incoming: 'a queue' }])).toBeUndefined()
    expect(nodeConnection(new Request('http://localhost/'), [])).toBeUndefined()
  })
})
