import { callTool, requestMeta } from '@jetway-apps/test-support'
import { connect } from 'node:net'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { AdapterSubject } from '../src/contracts/adapter.ts'
import { fastify, fetchHandler, hono } from './support/adapters.ts'

const SUBJECTS: Readonly<Record<string, AdapterSubject>> = {
  Fastify: fastify,
  Hono: hono,
  fetch: fetchHandler,
}

interface Reply {
  readonly status: number
  readonly text: string
}

async function serve(name: string): Promise<(headers: readonly string[]) => Promise<Reply>> {
  const server = new McpServer({ name: 'test', version: '1' })
  server.addTool({
    name: 'query',
    inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    handler: () => 'ran',
  })
  const subject = SUBJECTS[name]
  if (subject === undefined) throw new Error(name)
  const served = await subject.serve(server, {}, {})
  onTestFinished(() => served.release())
  onTestFinished(() => server.close({ deadline: 0 }))
  return (headers) => raw(new URL(served.url), headers)
}

const BODY = JSON.stringify(callTool('query', { region: 'eu' }, { meta: requestMeta() }))

/** Sends a request byte for byte, because HTTP libraries merge repeated headers. */
function raw({ hostname, port, pathname, host }: URL, headers: readonly string[]): Promise<Reply> {
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Content-Length: ${Buffer.byteLength(BODY)}`,
    'Connection: close',
    ...headers,
  ]
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${BODY}`, 'latin1')),
    )
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text }))
    socket.on('error', reject)
  })
}

const VERSION = 'MCP-Protocol-Version: 2026-07-28'
const METHOD = 'Mcp-Method: tools/call'
const NAME = 'Mcp-Name: query'
const REGION = 'Mcp-Param-Region: eu'

describe.each(Object.keys(SUBJECTS))(
  'headers that repeat values from the body, on %s (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation)',
  (name) => {
    it.each<[string, readonly string[]]>([
      ['correct', [VERSION, METHOD, NAME, REGION]],
      [
        'written with names in any case',
        [VERSION.toLowerCase(), 'MCP-METHOD: tools/call', 'mcp-name: query', 'MCP-PARAM-REGION: eu'],
      ],
      [
        'padded with whitespace around their values',
        [`${VERSION} `, 'Mcp-Method: \t tools/call', 'Mcp-Name:query \t', 'Mcp-Param-Region:   eu  '],
      ],
      ['encoded', [VERSION, METHOD, 'Mcp-Name: =?base64?cXVlcnk=?=', 'Mcp-Param-Region: =?base64?ZXU=?=']],
    ])('are accepted if they are %s', async (_how, headers) => {
      const { status, text } = await (await serve(name))(headers)
      expect(status).toBe(200)
      expect(text).toContain('"text":"ran"')
    })

    it.each<[string, readonly string[]]>([
      ['without the version', [METHOD, NAME, REGION]],
      ['with another version', ['MCP-Protocol-Version: 2025-11-25', METHOD, NAME, REGION]],
      ['without the method', [VERSION, NAME, REGION]],
      ['with the method in capitals', [VERSION, 'Mcp-Method: TOOLS/CALL', NAME, REGION]],
      ['without the name', [VERSION, METHOD, REGION]],
      ['with another name', [VERSION, METHOD, 'Mcp-Name: other', REGION]],
      ['without the parameter', [VERSION, METHOD, NAME]],
      ['with another parameter', [VERSION, METHOD, NAME, 'Mcp-Param-Region: us']],
      ['with bytes that are not ASCII', [VERSION, METHOD, NAME, 'Mcp-Param-Region: eu\u00A0']],
      ['with a malformed encoding', [VERSION, METHOD, NAME, 'Mcp-Param-Region: =?base64?ZXU?=']],
    ])('cause status 400 and error -32020 in a request %s', async (_how, headers) => {
      const { status, text } = await (await serve(name))(headers)
      expect(status).toBe(400)
      expect(text).toContain('"code":-32020')
    })

    it.each([
      'Mcp-Method: tools/call',
      'Mcp-Name: query',
      'Mcp-Name: other',
      'Mcp-Param-Region: eu',
      'Mcp-Param-Region: us',
    ])('cause status 400 if one of them is sent twice: %s', async (again) => {
      const { status } = await (await serve(name))([VERSION, METHOD, NAME, REGION, again])
      expect(status).toBe(400)
    })
  },
)
