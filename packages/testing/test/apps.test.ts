import { openSession } from '@jetway-apps/test-support/http'
import { requestMeta } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { app, apps } from '@jetway/core/apps'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fastify, hono } from './support/adapters.ts'

const ID = 'io.modelcontextprotocol/ui'
const SHOWS = { extensions: { [ID]: { mimeTypes: ['text/html;profile=mcp-app'] } } }
const uri = 'ui://clock/face'

type Tools = readonly { readonly name: string; readonly _meta?: object }[]

function createServer(): McpServer {
  const server = new McpServer({ name: 'apps', version: '1' }, { extensions: [apps()] })
  server.add(app({ uri, name: 'face', html: '<!doctype html><title>Clock</title>' }))
  server.addTool({ name: 'time', ui: { resourceUri: uri }, handler: () => 'Noon' })
  server.addTool({ name: 'wind', ui: { resourceUri: uri, visibility: ['app'] }, handler: () => 'Wound' })
  return server
}

async function post(url: string, body: object, headers: Record<string, string>): Promise<Response> {
  const common = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  return fetch(url, {
    method: 'POST',
    headers: { ...common, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  })
}

async function listAlone(url: string, capabilities: object): Promise<Tools> {
  const _meta = requestMeta(capabilities)
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
  const response = await post(url, { id: 1, method: 'tools/list', params: { _meta } }, headers)
  return ((await response.json()) as { result: { tools: Tools } }).result.tools
}

async function listInSession(url: string, capabilities: object): Promise<Tools> {
  const session = await openSession(url, capabilities)
  const response = await post(url, { id: 2, method: 'tools/list' }, session)
  return ((await response.json()) as { result: { tools: Tools } }).result.tools
}

describe.each([
  ['Fastify', fastify],
  ['Hono', hono],
])('tools with user interfaces on %s', (_, subject) => {
  it('appear to clients that declare support, in both eras at the same time', async () => {
    const { url, close, release } = await subject.serve(createServer(), {}, {})
    onTestFinished(async () => {
      await close()
      await release()
    })
    for (let round = 0; round < 2; round++) {
      for (const list of [listAlone, listInSession]) {
        const [shown, plain] = await Promise.all([list(url, SHOWS), list(url, {})])
        expect(shown).toMatchObject([
          { name: 'time', _meta: { ui: { resourceUri: uri } } },
          { name: 'wind', _meta: { ui: { visibility: ['app'] } } },
        ])
        expect(plain.map(({ name, _meta }) => [name, _meta])).toEqual([['time', undefined]])
      }
    }
  })
})
