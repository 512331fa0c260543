import { McpServer } from '@jetway/core'
import type { HttpRequest } from '@jetway/core/http'
import { expect } from 'vitest'
import { type AdapterClient, callFrame, INITIALIZE, INITIALIZED } from './client.ts'
import { watching } from './requests.ts'
import { holding } from './servers.ts'
import type { AdapterCase } from './types.ts'

const COUNT = 5

/** Returns the bytes of GET requests that open the streams of new sessions. */
async function streamsOf(client: AdapterClient): Promise<string> {
  let bytes = ''
  for (let stream = 0; stream < COUNT; stream++)
    bytes += client.post('', await client.initialize()).replace('POST', 'GET')
  return bytes
}

/** The cases for connections that carry several requests. */
export const CONNECTION_CASES: readonly AdapterCase[] = [
  {
    name: 'closes the connection after a stream if the client requests it',
    async run({ serve }) {
      const { client } = await serve({ stateless: true })
      const connection = await client.raw()
      const report = callFrame('report', { text: 'x', times: 1 })
      await connection.send(client.post(report, { connection: 'close' }))
      const received = await connection.until(() => false, 'the end of the connection')
      expect(received).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is)
      expect(received).not.toMatch(/^connection: keep-alive/im)
      expect(received).toContain('"text":"x"')
    },
  },
  {
    name: 'opens the stream of a pipelined call when the previous stream has ended',
    needs: 'pipelining',
    async run({ serve }) {
      const { server, release, calls } = holding()
      const { client } = await serve({ stateless: true }, {}, server)
      const connection = await client.raw()
      await connection.send(client.post(callFrame('hold', { reports: true })).repeat(COUNT))
      await client.eventually(() => calls() === COUNT, 'the calls to run')
      await client.eventually(() => server.stats().openStreams === 1, 'the first stream to open')
      await client.send({ body: INITIALIZE })
      expect(server.stats().openStreams).toBe(1)
      release()
      await connection.until((received) => received.split('HTTP/1.1 200').length > COUNT, 'all streams')
    },
  },
  {
    name: 'refuses the stream of a session while an earlier response on its connection is unfinished',
    needs: 'pipelining',
    async run({ serve }) {
      const { client, server } = await serve({ sessions: { max: COUNT } })
      const connection = await client.raw()
      await connection.send(await streamsOf(client))
      await client.eventually(() => server.stats().openStreams === 1, 'the first stream to open')
      // The other sessions would have to make room for this one, because nothing shows that their clients are
      // still connected.
      for (let session = 1; session < COUNT; session++) await client.initialize()
      const closed = server.close()
      await connection.until((received) => received.split('HTTP/1.1 503').length === COUNT, 'the refusals')
      await client.within(closed, 'the close')
    },
  },
  {
    name: 'refuses a question of a call while an earlier response on its connection is unfinished',
    needs: 'pipelining',
    async run({ serve }) {
      const server = new McpServer({ name: 'contract', version: '1.0.0' })
      const outcomes: string[] = []
      server.addTool({
        name: 'ask',
        async handler(_args, ctx) {
          const outcome = await ctx.listRoots().then(
            () => 'answered',
            () => 'refused',
          )
          outcomes.push(outcome)
          return outcome
        },
      })
      const { client } = await serve({}, {}, server)
      const body = INITIALIZE.replace('"capabilities":{}', '"capabilities":{"roots":{}}')
      const opened = await client.send({ body })
      const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
      await client.send({ body: INITIALIZED, headers: session })
      const connection = await client.raw()
      await connection.send(client.post('', session).replace('POST', 'GET'))
      await client.eventually(() => server.stats().openStreams === 1, 'the stream to open')
      await connection.send(client.post(callFrame('ask'), session))
      await client.eventually(() => outcomes.length === 1, 'the question to be refused')
      expect(outcomes).toEqual(['refused'])
      // The question arrives on the same connection as the call.
      const asking = await client.open({ body: callFrame('ask'), headers: session })
      await asking.until('roots/list')
      // Nobody answers the question, so an open call would keep the server from closing.
      await client.send({ method: 'DELETE', headers: session })
    },
  },
  {
    name: 'releases the streams of a connection that ends while the client does not read its replies',
    needs: 'pipelining',
    async run({ serve }) {
      const { client, server } = await serve()
      const connection = await client.raw()
      const session = await client.initialize()
      await connection.send(client.post('', session).replace('POST', 'GET'))
      await client.eventually(() => server.stats().openStreams === 1, 'the stream to open')
      const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      for (let sent = 0; sent < COUNT; sent++) {
        await connection.send(client.post(list, session))
        // Node stops reading if a request arrives after long replies, so wait for each reply before the next
        // request.
        await client.send({ body: INITIALIZE })
      }
      connection.leave()
      await client.eventually(() => server.stats().openStreams === 0, 'the stream to end')
    },
  },
  {
    name: 'aborts the signals of pipelined requests when the connection ends',
    needs: 'pipelining',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release, calls } = holding()
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const connection = await client.raw()
      await connection.send(client.post(callFrame('hold')).repeat(COUNT))
      await client.eventually(() => calls() === COUNT, 'the calls to run')
      const [unread, ...read] = seen.toReversed() as [HttpRequest, ...HttpRequest[]]
      const signals = read.map(({ signal }) => signal)
      expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map(() => false))
      connection.leave()
      await client.eventually(() => signals.every(({ aborted }) => aborted), 'the signals')
      await client.eventually(() => unread.signal.aborted, 'a signal that is read late')
      release()
    },
  },
]
