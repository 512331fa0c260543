import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silent } from '@jetway-apps/test-support'
import { McpServer, type StandardSchema } from '@jetway/core'
import type { CallToolResult } from '@jetway/core/protocol'
import { connect, type TestClient } from '@jetway/testing'
import { onTestFinished } from 'vitest'
import { openApi, type OpenApiOptions } from '../../src/index.ts'

/** A request as the API received it. */
export interface Received {
  readonly method: string
  /** Path and query, as on the wire. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A reply of the API. `json` is sent as JSON. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Uint8Array
}

export interface Api {
  readonly origin: string
  readonly received: Received[]
}

/** Serves an API on loopback until the test ends. */
export async function serveApi(reply: (request: Received) => Reply = () => ({ json: {} })): Promise<Api> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const all = { method, url, headers, body: Buffer.concat(chunks) }
      received.push(all)
      const { status = 200, json, body = '', headers: own = {} } = reply(all)
      const type = json === undefined ? {} : { 'content-type': 'application/json' }
      response.writeHead(status, { ...type, ...own }).end(json === undefined ? body : JSON.stringify(json))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void (server.closeAllConnections(), server.close()))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

/** Connects a client to a server with the tools of a document. */
export async function connectApi(document: object, options: OpenApiOptions = {}): Promise<TestClient> {
  const server = new McpServer({ name: 'api', version: '1' }, { logger: silent })
  server.observe(openApi(document, { logger: silent, ...options }))
  const client = await connect(server)
  onTestFinished(() => client[Symbol.asyncDispose]())
  return client
}

/** A document of one operation. */
export const documentOf = (
  path: string,
  operation: object,
  { method = 'get', ...more }: { readonly method?: string; readonly [member: string]: unknown } = {},
): object => ({
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://api.invalid' }],
  paths: { [path]: { [method]: { operationId: 'call', ...operation } } },
  ...more,
})

/** Calls the tool of a document with one operation, and returns what the API received. */
export async function callApi(
  document: object,
  args: object,
  options: OpenApiOptions & { readonly reply?: (request: Received) => Reply } = {},
): Promise<{ readonly request: Received | undefined; readonly result: CallToolResult }> {
  const { reply, ...rest } = options
  const api = await serveApi(reply)
  const client = await connectApi(document, { baseUrl: api.origin, ...rest })
  const [tool] = await client.listTools()
  const result = await client.callTool(tool?.name ?? '', args as Record<string, unknown>)
  return { request: api.received[0], result }
}

/** The text of a result's blocks. */
export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')

/** The JSON Schema of a tool, which is compiled later. */
export const schemaOf = (schema: unknown): Record<string, unknown> =>
  (schema as StandardSchema)['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
