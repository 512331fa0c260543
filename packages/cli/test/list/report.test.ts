import { McpServer } from '@jetway/core'
import { expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { serve } from '../support/serve.ts'

function serveShop(addTo: (server: McpServer) => void): Promise<string> {
  const server = new McpServer({ name: 'shop', version: '1.2.3' }, { instructions: 'Buy' })
  addTo(server)
  return serve(server)
}

const REVISION = ['--revision', '2025-11-25'] as const
const handler = () => 'x'

function fill(server: McpServer): void {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } } } as const
  server.addTool({
    name: 'buy',
    description: '  Buys it.\nTwice.  ',
    outputSchema,
    handler: () => ({ n: 1 }),
  })
  server.addTool({ name: 'look', inputSchema: { type: 'object' }, handler })
  server.addResource({ uri: 'shop://a', name: 'first', description: 'A thing', handler })
  server.addResource({ uri: 'shop://b', name: 'second', handler })
  server.addPrompt({ name: 'ask', description: 'Asks', handler })
}

it('jetway list prints the description of each entry, or its name if there is no description', async () => {
  const { stdout } = await runCli(['list', await serveShop(fill), ...REVISION])
  expect(stdout).toBe(`shop 1.2.3 (2025-11-25)

Tools
  buy()
    Buys it.
    Twice.
  look()

Resources
  shop://a
    A thing
  shop://b
    second

Prompts
  ask()
    Asks
`)
})

it("jetway list prints only the server's name if it has no entries", async () => {
  const { stdout } = await runCli(['list', await serveShop(() => {}), ...REVISION])
  expect(stdout).toBe('shop 1.2.3 (2025-11-25)\n')
})

it('jetway list --schema prints the schemas of each tool', async () => {
  const { stdout } = await runCli(['list', await serveShop(fill), ...REVISION, '--schema'])
  expect(stdout.match(/^ {4}(?:input|output): \{$/gm)).toEqual([
    '    input: {',
    '    output: {',
    '    input: {',
  ])
  expect(stdout).toContain('    output: {\n      "type": "object",\n')
})

it('jetway list prevents a name with a line break from imitating another entry', async () => {
  const url = await serveShop((server) => {
    server.addTool({
      name: 'buy',
      inputSchema: { type: 'object', properties: { 'a\n  fake(b': { type: 'string' } } },
      handler,
    })
    server.addResource({ uri: 'shop://a', name: 'a\nfake', handler })
  })
  const { stdout } = await runCli(['list', url, ...REVISION])
  expect(stdout).toContain('  buy(a\uFFFD  fake(b?: string)\n')
  expect(stdout).toContain('    a\n    fake\n')
  expect(stdout).not.toMatch(/^ {2}fake/m)
})

it("jetway list --json prints the server's complete response", async () => {
  const document: unknown = JSON.parse(
    (await runCli(['list', await serveShop(fill), ...REVISION, '--json'])).stdout,
  )
  expect(document).toMatchObject({
    server: { name: 'shop' },
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    instructions: 'Buy',
    tools: [{ name: 'buy' }, { name: 'look' }],
    resources: [{ uri: 'shop://a' }, { uri: 'shop://b' }],
    resourceTemplates: [],
    prompts: [{ name: 'ask' }],
  })
})

it('jetway list rejects a second target', async () => {
  expect(await runCli(['list', await serveShop(() => {}), 'other'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('list takes one target; other is another word'),
  })
})
