import { requestMeta } from '@jetway-apps/test-support'
import { toFetch } from '@jetway/core/http'
import { expect, it } from 'vitest'
import { server } from '../src/tools/header-parameters.ts'

const mount = toFetch(server)

/** Calls the tool with additional headers. */
async function query(args: object, headers: Record<string, string>): Promise<readonly unknown[]> {
  const params = {
    name: 'query',
    arguments: { since: '2026-01-01', ...args },
    _meta: requestMeta(),
  }
  const response = await mount(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'query',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }),
  )
  const { result, error } = (await response.json()) as {
    result?: { content: { text: string }[] }
    error?: { code: number }
  }
  return [response.status, result?.content[0]?.text ?? error?.code]
}

const ran = [200, 'eu/7 since 2026-01-01']
const refused = [400, -32020]

it.each([
  ['with the same values', 'eu', '7', ran],
  ['with the number written differently', 'eu', '7.0', ran],
  ['in Base64', '=?base64?ZXU=?=', '7', ran],
  ['in Base64 without its padding', '=?base64?ZXU?=', '7', refused],
  ['that name another region', 'us', '7', refused],
  ['that name another number', 'eu', '8', refused],
])('the server handles parameter headers %s as described in the guide', async (_, region, shard, answer) => {
  const headers = { 'mcp-param-region': region, 'mcp-param-shard': shard }
  expect(await query({ region: 'eu', shard: 7 }, headers)).toEqual(answer)
})

it("the server requires a parameter's header if the parameter is present, and otherwise refuses that header", async () => {
  expect(await query({ region: 'eu', shard: 7 }, { 'mcp-param-region': 'eu' })).toEqual(refused)
  const whole = [200, 'eu/0 since 2026-01-01']
  expect(await query({ region: 'eu' }, { 'mcp-param-region': 'eu' })).toEqual(whole)
  expect(await query({ region: 'eu' }, { 'mcp-param-region': 'eu', 'mcp-param-shard': '0' })).toEqual(refused)
})
