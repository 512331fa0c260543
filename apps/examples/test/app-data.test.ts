import { connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { expect, it, onTestFinished } from 'vitest'
import { createApp as createBothApp } from '../src/http/both-transports.ts'
import { server as fastmcp } from '../src/migration/from-fastmcp.ts'
import { createApp as createFitApp } from '../src/migration/from-fit.ts'
import { server as kotlin } from '../src/migration/from-kotlin-sdk.ts'
import { createApp, server } from '../src/server/app-data.ts'
import { server as shop } from '../src/server/instructions.ts'
import { call, firstEvent, initialize, openSession } from './support.ts'

expect.extend(matchers)

async function listen(app: Awaited<ReturnType<typeof createApp>>): Promise<string> {
  onTestFinished(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

it("app data: handlers receive the lifespan and the request's locals", async () => {
  const origin = await listen(await createApp())
  const session = await openSession(`${origin}/mcp`, { 'x-tenant': 'acme' })
  expect(await call(`${origin}/mcp`, 'add_note', session, { text: 'buy tea' })).toBe('1 notes')
  expect(await call(`${origin}/mcp`, 'add_note', session, { text: 'sell tea' })).toBe('2 notes')
  await server.close()
})

it("instructions depend on the client's capabilities", async () => {
  await using asking = await connect(shop, { handlers: { elicit: () => ({ action: 'cancel' }) } })
  await using silent = await connect(shop)
  expect(asking.server?.instructions).toContain('place_order asks the user')
  expect(silent.server?.instructions).toContain('ask the user before')
})

it('both transports: one mount serves /mcp and /sse', async () => {
  const origin = await listen(await createBothApp())
  expect((await initialize(`${origin}/mcp`)).status).toBe(200)
  expect(await firstEvent(`${origin}/sse`)).toMatch(/^event: endpoint\ndata: \/message\?/)
})

it('migration from the Kotlin SDK: a tool returns several blocks, and a missing argument is an error', async () => {
  await using client = await connect(kotlin)
  const { content } = await client.callTool('get_alerts', { state: 'CA' })
  expect(content).toEqual([
    { type: 'text', text: 'Wind in CA' },
    { type: 'text', text: 'Rain in CA' },
  ])
  expect(await client.callTool('get_alerts', {})).toBeToolError(/state/)
})

it('migration from FastMCP: tools, templates with completion, and prompts work', async () => {
  await using client = await connect(fastmcp)
  expect(await client.callTool('download', { url: 'https://example.com/a' })).toHaveText(
    'Downloaded https://example.com/a',
  )
  expect(await client.callTool('download', { url: 'https://other.example/a' })).toBeToolError(
    /is not allowed/,
  )
  expect((await client.readResource('file:///logs/app.log')).contents).toMatchObject([
    { text: 'The log of app' },
  ])
  const ref = { template: 'file:///logs/{name}.log', argument: 'name' }
  expect(await client.complete(ref, 'au')).toMatchObject({ values: ['audit'] })
  expect((await client.getPrompt('git-commit', { changes: '+1' })).messages).toHaveLength(1)
  expect((await client.readResource('file:///logs')).contents).toHaveLength(2)
  expect((await client.complete({ prompt: 'country-poem', argument: 'name' }, 'I')).values).toEqual(['Italy'])
  await expect(client.getPrompt('country-poem', { name: 'Atlantis' })).rejects.toThrow('name')
})

it('migration from FIT: the paths stay the same', async () => {
  const origin = await listen(await createFitApp())
  const url = `${origin}/mcp/streamable`
  const session = await openSession(url)
  expect(await call(url, 'get_weather', session, { city: 'Paris' })).toBe('Sunny in Paris')
  expect(await firstEvent(`${origin}/mcp/sse`)).toMatch(/^event: endpoint\ndata: \/mcp\/message\?/)
})
