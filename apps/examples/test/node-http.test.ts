import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { McpServer } from '@jetway/core'
import { logLines } from '@jetway-apps/test-support'
import { describeAdapter } from '@jetway/testing/adapter'
import { expect, it } from 'vitest'
import { mcp } from '../src/http/node-http.ts'
import { initialize } from './support.ts'

// #region contract
const promises = describeAdapter('node:http', {
  capabilities: ['headers', 'routes', 'parsedBody', 'rawHeaders', 'peer'],
  async serve(server, options, { headers = {}, parsesBodies }) {
    const { endpoint, listener } = mcp(server, options)
    const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      if (req.url?.split('?')[0] === '/mcp')
        await listener(req, res, parsesBodies ? await json(req) : undefined)
      else if (req.url === '/echo') req.pipe(res)
      else res.writeHead(404).end()
    }
    const http = createServer((req, res) => void answer(req, res))
    await once(http.listen(0, '127.0.0.1'), 'listening')
    return {
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
      close: () => endpoint.close(),
      release() {
        http.closeAllConnections()
        http.close()
      },
    }
  },
})
// #endregion

it('the adapter satisfies the adapter contract, except for locals and host authentication', () => {
  expect(promises).toHaveLength(42)
})

it('the adapter has at most 60 lines, including imports and blank lines', () => {
  const lines = readFileSync(new URL('../src/http/node-http.ts', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.filter((line) => !/^\/\/ #(?:region|endregion)/.test(line)).length).toBeLessThanOrEqual(60)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110)
})

it.each(['json', 'sse'] as const)(
  'the adapter discards a reply (%s) if the host has already replied',
  async (response) => {
    const server = new McpServer({ name: 'late', version: '1.0.0' })
    const logger = logLines()
    const { endpoint, listener } = mcp(server, { response, logger })
    const http = createServer()
    const dropped = new Promise<void>((resolve, reject) => {
      http.once('request', (req, res) => {
        listener(req, res).then(resolve, reject)
        res.writeHead(408).end('too late')
      })
    })
    await once(http.listen(0, '127.0.0.1'), 'listening')
    const { port } = http.address() as AddressInfo
    expect(await initialize(`http://127.0.0.1:${port}/mcp`)).toMatchObject({ status: 408, body: 'too late' })
    await dropped
    expect(logger.lines).toEqual([expect.stringContaining('The app replied before the MCP server did')])
    http.close()
    await endpoint.close()
  },
)
