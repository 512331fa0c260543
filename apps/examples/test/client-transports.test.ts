import { fileURLToPath } from 'node:url'
import { onFetch } from '@jetway-apps/test-support/mounts'
import { McpServer } from '@jetway/core'
import { expect, it, onTestFinished, vi } from 'vitest'
import { askOnce, connectAs, connectTo, run, serversOf } from '../src/client/client-transports.ts'

it("a new client continues the previous client's session", async () => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  const opened = vi.fn<() => void>()
  server.on('session:open', opened)
  server.addTool({ name: 'open', handler: () => 'Yes' })
  const { origin, stop } = await onFetch(server, { revisions: ['2025-11-25'] })
  onTestFinished(stop)
  const url = `${origin}/mcp`
  const first = await askOnce(url, 'open')
  const second = await askOnce(url, 'open', first.session)
  expect(second.content).toEqual([{ type: 'text', text: 'Yes' }])
  expect(second.session?.id).toBe(first.session?.id)
  expect(opened).toHaveBeenCalledTimes(1)
})

it('a server at a URL receives the token', async () => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  server.addTool({ name: 'who', handler: (_, { auth }) => auth?.principal ?? 'nobody' })
  const { origin, stop } = await onFetch(server, {
    authenticate: (request) =>
      request.header('authorization') === 'Bearer ticket' ? { principal: 'ann' } : undefined,
  })
  onTestFinished(stop)
  const url = `${origin}/mcp`
  const client = await connectTo(url, 'ticket')
  expect((await client.callTool('who')).content).toEqual([{ type: 'text', text: 'ann' }])
  await expect(connectTo(url, 'forged')).rejects.toMatchObject({ status: 401 })
  await client.close()
})

it('a local server can be started, called and stopped', async () => {
  vi.stubEnv('SHOP_API_KEY', 'key')
  const lines: string[] = []
  const script = fileURLToPath(new URL('./support/shop-server.mjs', import.meta.url))
  const client = await run(script, (line) => lines.push(line))
  expect((await client.callTool('key')).content).toEqual([{ type: 'text', text: 'key' }])
  await vi.waitFor(() => expect(lines).toEqual(['The shop is open']))
  await client.close()
  await expect(client.callTool('key')).rejects.toMatchObject({ code: 'closed' })
  vi.unstubAllEnvs()
})

it('a server can be started from a description as plain data', async () => {
  const script = fileURLToPath(new URL('./support/shop-server.mjs', import.meta.url))
  const client = await connectAs({
    command: process.execPath,
    args: [script],
    env: { SHOP_API_KEY: 'data' },
    stderr: 'ignore',
  })
  expect((await client.callTool('key')).content).toEqual([{ type: 'text', text: 'data' }])
  await client.close()
})

it('the servers are read from a host’s configuration file', async () => {
  const lines: string[] = []
  const file = fileURLToPath(new URL('./support/servers.mcp.json', import.meta.url))
  expect(await serversOf(file, (line) => lines.push(line))).toEqual(['shop'])
  expect(lines).toEqual([
    'error: The server "office": env.TOKEN needs the environment variable OFFICE_TOKEN_OF_NOBODY, which is not set',
  ])
})
