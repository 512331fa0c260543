import { Client } from '@jetway/client'
import { http, sse } from '@jetway/client/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer } from '@jetway-apps/test-support/http'
import { HOSTS } from './support/hosts.ts'

const TRANSPORTS = [
  ['Streamable HTTP with JSON', '2026-07-28', 'json'],
  ['Streamable HTTP with JSON', '2025-11-25', 'json'],
  ['Streamable HTTP with streams', '2026-07-28', 'sse'],
  ['Streamable HTTP with streams', '2025-11-25', 'sse'],
  ['HTTP+SSE', '2024-11-05', 'auto'],
] as const

describe.each(Object.entries(HOSTS))('a mount on %s', (_host, subject) => {
  it.each(TRANSPORTS)('serves %s in revision %s', async (transport, revision, response) => {
    const server = createServer()
    const { url, release } = await subject.serve(server, { legacySse: true, response }, {})
    onTestFinished(async () => {
      await client.close()
      await server.close({ deadline: 0 })
      await release()
    })
    const client = new Client({ name: 'test', version: '1.0.0' }, { revisions: [revision] })
    await client.connect(transport === 'HTTP+SSE' ? sse(new URL('/sse', url)) : http(url))
    expect(client.server?.protocolVersion).toBe(revision)
    const { content } = await client.callTool('echo', { text: 'x' })
    expect(content).toEqual([{ type: 'text', text: 'x' }])
    const steps: number[] = []
    await client.callTool('report', {}, { onProgress: ({ progress }) => void steps.push(progress) })
    expect(steps).toEqual(response === 'json' ? [] : [1])
  })
})
