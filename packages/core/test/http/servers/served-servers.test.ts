import { settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../../src/index.ts'
import { createEndpoint } from '../../../src/http/endpoint.ts'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import type { ServerSelector } from '../../../src/http/servers/served-servers.ts'
import { callModern } from '../../support/modern-calls.ts'
import { createHarness, FakeRequest, initializeMessage, type Message } from '../support/harness.ts'

function tenant(name: string): McpServer {
  const server = new McpServer({ name, version: '1' }, { logger: silent })
  server.addTool({ name: 'whoami', handler: () => name })
  return server
}

/** Selects the server that the x-tenant header names. */
function tenancy(options: Parameters<typeof createHarness>[0] = {}) {
  const [a, b] = [tenant('a'), tenant('b')]
  const servers: Record<string, McpServer> = { a, b }
  const asked: string[] = []
  const select: ServerSelector = async (request) => {
    const name = request.header('x-tenant') ?? ''
    asked.push(name)
    return servers[name]
  }
  return { ...createHarness({ ...options, select }), a, b, asked }
}

const textOf = ({ result }: Message): string => {
  const content = result?.['content'] as { readonly text: string }[] | undefined
  return content?.[0]?.text ?? ''
}

describe('a server selector', () => {
  it('is called once per session', async () => {
    const { open, asked } = tenancy()
    const first = await open({ headers: { 'x-tenant': 'a' } })
    const second = await open({ headers: { 'x-tenant': 'b' } })
    expect(textOf((await first.call('whoami')).json)).toBe('a')
    expect(textOf((await second.call('whoami')).json)).toBe('b')
    // The server is chosen once per session, so a later request cannot change it.
    const turned = await first.post(
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'whoami' } },
      { 'x-tenant': 'b' },
    )
    expect(textOf(turned.json)).toBe('a')
    expect(asked).toEqual(['a', 'b'])
  })

  it('determines the server info of each session', async () => {
    const { post } = tenancy()
    const { json } = await post(initializeMessage(), { 'x-tenant': 'b' })
    expect(json.result).toMatchObject({ serverInfo: { name: 'b' } })
  })

  it('is called for every request if the mount has no sessions', async () => {
    const { post, asked } = tenancy({ endpoint: { stateless: true } })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }
    expect(textOf((await post(call, { 'x-tenant': 'a' })).json)).toBe('a')
    expect(textOf((await post(call, { 'x-tenant': 'b' })).json)).toBe('b')
    expect(asked).toEqual(['a', 'b'])
  })

  it('causes status 500 if it throws, and the error is logged but not sent to the client', async () => {
    for (const select of [
      () => { throw new Error('canary') }, // prettier-ignore
      () => Promise.reject(new Error('canary')),
    ]) {
      const log: unknown[] = []
      const endpoint = createEndpoint(select, {
        logger: { ...silent, error: (fields) => void log.push((fields as { err: unknown }).err) },
      })
      const request = new FakeRequest({ body: initializeMessage() })
      const reply = await endpoint.handle(request, request.body)
      expect(reply.status).toBe(500)
      expect(reply.body).not.toContain('canary')
      expect(log.map(String)).toEqual(['Error: canary'])
    }
  })

  it('sends change notifications only to sessions on the changed server', async () => {
    const { open, a } = tenancy()
    const first = await (await open({ headers: { 'x-tenant': 'a' } })).get()
    const second = await (await open({ headers: { 'x-tenant': 'b' } })).get()
    a.addTool({ name: 'another', handler: () => '' })
    await first.sink.until(() => first.sink.messages.length > 0)
    expect(first.sink.messages[0]?.method).toBe('notifications/tools/list_changed')
    expect(second.sink.messages).toEqual([])
  })

  it("can return a server that is closed later, which ends only that server's sessions", async () => {
    const { open, post, a } = tenancy()
    const first = await open({ headers: { 'x-tenant': 'a' } })
    const second = await open({ headers: { 'x-tenant': 'b' } })
    await a.close()
    expect((await first.call('whoami')).status).toBe(404)
    expect(textOf((await second.call('whoami')).json)).toBe('b')
    expect((await post(initializeMessage(), { 'x-tenant': 'a' })).status).toBe(503)
  })

  it('can return a server that is closing, for which new sessions are refused', async () => {
    const { open, a, post } = tenancy()
    let finish = (): void => {}
    a.addTool({
      name: 'wait',
      handler: () => new Promise<string>((resolve) => (finish = () => resolve('done'))),
    })
    const session = await open({ headers: { 'x-tenant': 'a' } })
    const running = session.call('wait')
    await settled()
    const closing = a.close()
    expect((await post(initializeMessage(), { 'x-tenant': 'a' })).status).toBe(503)
    finish()
    expect(textOf((await running).json)).toBe('done')
    await closing
  })

  it('lets the mount release an idle server, so that servers made for one session do not accumulate', async () => {
    const made: McpServer[] = []
    const { open } = createHarness({
      select: () => {
        made.push(tenant(`made ${made.length}`))
        return made.at(-1)
      },
    })
    const session = await open()
    const [only] = made
    expect(textOf((await session.call('whoami')).json)).toBe('made 0')
    await session.delete()
    // The mount has released the server, so closing the server waits for nothing, and later sessions get another
    // server.
    await only?.close()
    expect(textOf((await (await open()).call('whoami')).json)).toBe('made 1')
  })

  it('lets the mount release a server that does not support the requested revision', async () => {
    const server = new McpServer(
      { name: 'older', version: '1' },
      { logger: silent, revisions: ['2025-11-25'] },
    )
    const { status, json } = await callModern(createHarness({ select: () => server }), 'tools/list')
    expect([status, json.error?.code]).toEqual([400, -32_600])
    await settled()
    expect(server.stats().mounts).toBe(0)
  })

  it('is called again for a session that was opened in another process', async () => {
    const sessionStore = new MemorySessionStore({})
    const before = tenancy({ endpoint: { sessions: { store: sessionStore } } })
    const session = await before.open({ headers: { 'x-tenant': 'b' } })
    const after = tenancy({ endpoint: { sessions: { store: sessionStore } } })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }
    const answer = await after.post(call, { ...session.headers, 'x-tenant': 'b' })
    expect(textOf(answer.json)).toBe('b')
    expect(after.asked).toEqual(['b'])
  })
})
