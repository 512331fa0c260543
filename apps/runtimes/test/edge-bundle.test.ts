import { gzipSync } from 'node:zlib'
import { McpServer } from '@jetway/core'
import { renderSchemas, warmSchemas } from '@jetway/core/schema-cache'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, pack, printed } from './support/bundle.ts'

/** Somewhat above what it weighs, so that who makes it heavier notices. What it weighs, and why: docs/design/decisions/edge-weight.md */
const BUILDS: readonly (readonly [name: string, conditions: readonly string[], maxKib: number])[] = [
  ['as it is', [], 84],
  ['under the condition "jetway-edge"', ['jetway-edge'], 60],
]

const TOOL = {
  name: 'hello',
  description: 'Says hello',
  inputSchema: { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] },
  outputSchema: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] },
} as const

const WORKER = `
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import schemas from 'schemas'
const server = new McpServer({ name: 'hello', version: '1.0.0' }, { schemas })
server.addTool({ ...${JSON.stringify(TOOL)}, handler: ({ name }) => ({ greeting: 'Hello, ' + name }) })
export default { fetch: toFetch(server, { stateless: true }) }
`

/** A user of the worker, in both eras. */
const USER = `
const { default: worker } = await import(process.argv[1])
const post = async (headers, message) => {
  const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  const init = { method: 'POST', headers: { ...accepted, ...headers }, body }
  const response = await worker.fetch(new Request('https://hello.example/mcp', init))
  return { session: response.headers.get('mcp-session-id'), ...(await response.json()) }
}
const params = (name) => ({ name: 'hello', arguments: { name } })
const alone = async (name) => {
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'user', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'hello' }
  return post(headers, { method: 'tools/call', params: { ...params(name), _meta } })
}
const asked = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'user', version: '1' } }
const opened = await post({}, { method: 'initialize', params: asked })
const ofSession = (name) =>
  post({ 'mcp-protocol-version': opened.result.protocolVersion }, { method: 'tools/call', params: params(name) })
const answers = [await alone('Ada'), await alone(''), opened, await ofSession('Ada'), await ofSession('')]
console.log(JSON.stringify(answers))
`

describe.each(BUILDS)('a worker that says hello from a schema cache, %s', (_, conditions, maxKib) => {
  let bundle: Bundle
  beforeAll(async () => {
    const server = new McpServer({ name: 'hello', version: '1.0.0' })
    server.addTool({ ...TOOL, handler: ({ name }) => ({ greeting: name }) })
    bundle = await pack({
      module: WORKER,
      schemas: await renderSchemas(await warmSchemas(server)),
      conditions,
    })
  })

  it(`weighs at most ${maxKib} KiB, minified and gzipped`, () => {
    const [file] = bundle.outputFiles
    expect(gzipSync(file?.contents ?? '', { level: 9 }).length / 1024).toBeLessThanOrEqual(maxKib)
  })

  it('carries neither ajv nor zod, and nothing of a runtime', () => {
    const inputs = Object.keys(bundle.metafile.inputs)
    expect(inputs.filter((input) => /ajv|zod|node_modules/.test(input))).toEqual([])
    const ofCore = inputs.filter((input) => /packages\/core\/dist\//.test(input))
    expect(new Set(ofCore.map((input) => input.includes('/dist/edge/')))).toEqual(
      new Set([conditions.includes('jetway-edge')]),
    )
    expect(Object.values(bundle.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  })

  it('validates in both eras where no code may be made of text', async () => {
    const greeted = { result: { structuredContent: { greeting: 'Hello, Ada' } } }
    const refused = { result: { isError: true } }
    expect(await printed(bundle, USER)).toMatchObject([
      greeted,
      refused,
      { session: null, result: { protocolVersion: '2025-11-25', serverInfo: { name: 'hello' } } },
      greeted,
      refused,
    ])
  })
})
