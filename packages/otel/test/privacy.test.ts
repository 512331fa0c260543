import { inspect } from 'node:util'
import { Client, McpError } from '@jetway/client'
import { http } from '@jetway/client/http'
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { SpanKind } from '@opentelemetry/api'
import { expect, it, onTestFinished } from 'vitest'
import { telemetry } from '../src/index.ts'
import { registerSdk } from './support/sdk.ts'

it('telemetry contains no message contents, tokens, headers or session ids, and hidden errors appear only in logs', async () => {
  const { spans, points } = registerSdk()
  const lines: unknown[] = []
  const log = (...line: unknown[]): void => void lines.push(line)
  const both = telemetry()
  const server = new McpServer(
    { name: 'server', version: '1' },
    { telemetry: both, logger: { debug: log, info: log, warn: log, error: log } },
  )
  server.addTool({ name: 'tell', handler: () => 'canary-result' })
  server.addTool({
    name: 'fail',
    handler: () => {
      throw new Error('canary-error')
    },
  })
  server.addPrompt({ name: 'ask', handler: () => 'canary-prompt' })
  const handler = toFetch(server, {
    authenticate: () => ({
      principal: 'canary-principal',
      extra: { token: 'canary-token' },
      clientId: 'canary-client',
      scopes: ['canary-scope'],
    }),
  })
  const client = new Client(
    { name: 'canary-name', version: '1' },
    { eras: false, revisions: ['2025-11-25'], telemetry: both },
  )
  onTestFinished(async () => {
    await client.close()
    await handler.close({ deadline: 0 })
  })
  const fetch = async (url: string, init: RequestInit): Promise<Response> => handler(new Request(url, init))
  const headers = { authorization: 'Bearer canary-token', 'x-own': 'canary-header' }
  await client.connect(http('http://127.0.0.1:8000/mcp?key=canary-query', { fetch, headers }))
  const sessionId = client.session?.id ?? ''
  await client.callTool('tell', { text: 'canary-argument' })
  await client.callTool('fail', { text: 'canary-argument' }, { _meta: { 'own.example/key': 'canary-meta' } })
  await client.getPrompt('ask', { text: 'canary-argument' })
  await client.request('canary/method').catch((error: unknown) => expect(error).toBeInstanceOf(McpError))
  await client.close()
  const received = spans().filter(({ kind }) => kind === SpanKind.SERVER)
  expect(received.map(({ name }) => name)).toEqual([
    'initialize',
    'tools/call tell',
    'tools/call fail',
    'prompts/get ask',
    '_OTHER',
  ])
  const recorded = JSON.stringify([
    spans().flatMap(({ name, attributes, events, status }) =>
      // The host chooses the method name, so it is not a secret.
      attributes['mcp.method.name'] === 'canary/method' ? [] : [name, attributes, events, status],
    ),
    Object.values(await points()).flatMap((all) =>
      all.filter(({ attributes }) => attributes['mcp.method.name'] !== 'canary/method'),
    ),
  ])
  expect(recorded).toContain('tools/call tell')
  // The host's log contains hidden errors, but no other secrets.
  const logged = inspect(lines, { depth: 20 })
  expect(logged).toContain('canary-error')
  expect(logged.replaceAll('canary-error', '')).not.toContain('canary')
  expect(logged).not.toContain(sessionId)
  expect(sessionId.length).toBeGreaterThan(20)
  expect(recorded).not.toContain('canary')
  expect(recorded).not.toContain(sessionId)
})
