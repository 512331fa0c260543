import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describeAdapter } from '@jetway/testing/adapter'
import { expect, it } from 'vitest'
import { mcp } from '../src/node-http.ts'

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

it('keeps every promise of the contract but those that need a context or the host’s authentication', () => {
  expect(promises).toHaveLength(39)
})

it('takes at most 60 lines, imports and blank lines counted, marks of regions not', () => {
  const lines = readFileSync(new URL('../src/node-http.ts', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.filter((line) => !/^\/\/ #(?:region|endregion)/.test(line)).length).toBeLessThanOrEqual(60)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110)
})
