import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { tieredEngine } from '@jetway/core/schema'
import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { openApi, survey } from '../src/index.ts'
import { schemaOf } from './support/api.ts'
import { examples, figma, github } from './support/documents.ts'

const ALL = { operations: () => true, baseUrl: 'https://api.invalid', maxTools: 5_000, logger: silent }

/** Adds each tool to a server, and compiles its schemas, which throws for one that is invalid. */
async function compiled(document: object, options: object = {}): Promise<readonly string[]> {
  const { schemes } = survey(document)
  const auth = Object.fromEntries(schemes.map((name) => [name, 'secret']))
  const source = openApi(document, { ...ALL, auth, ...options })
  const server = new McpServer({ name: 'real', version: '1' }, { logger: silent })
  for (const tool of source.tools()) {
    server.addTool(tool)
    tieredEngine().input(schemaOf(tool.inputSchema), { kind: 'tool', name: tool.name, field: 'inputSchema' })
  }
  await using client = await connect(server)
  const tools = await client.listTools()
  for (const { inputSchema } of tools) expect(JSON.stringify(inputSchema).length).toBeGreaterThan(0)
  return tools.map(({ name }) => name)
}

describe('the examples of ReadMe', () => {
  it.each(['defs', 'inline'] as const)('become tools that compile, with refs: %s', async (refs) => {
    const documents = await examples()
    expect(documents.length).toBeGreaterThan(40)
    const versions = new Set<string>()
    let tools = 0
    for (const { name, document } of documents) {
      const { operations } = survey(document)
      if (operations.length === 0) continue
      const names = await compiled(document, { refs, results: 'checked' })
      expect(new Set(names).size, name).toBe(names.length)
      for (const each of names) expect(each, name).toMatch(/^[a-z0-9_]{1,64}$/)
      versions.add(String('swagger' in document ? document.swagger : (document as { openapi: string }).openapi).slice(0, 3))
      tools += names.length
    }
    expect([...versions].toSorted()).toEqual(['2.0', '3.0', '3.1'])
    expect(tools).toBeGreaterThan(300)
  })
})

describe('the document of Figma', () => {
  it('becomes tools that compile', async () => {
    const names = await compiled(await figma())
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('get_file')
  })
})

describe('the document of GitHub', () => {
  it('becomes about 1,000 tools that compile', async () => {
    const document = await github()
    const { operations, faults } = survey(document)
    const names = await compiled(document)
    expect(names.length).toBeGreaterThan(900)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length + faults.filter(({ leftOut }) => leftOut).length).toBeGreaterThanOrEqual(operations.length - 10)
  })

  it('starts in less than 1.5 s', async () => {
    const document = await github()
    const started = process.cpuUsage()
    const source = openApi(document, { ...ALL })
    const server = new McpServer({ name: 'real', version: '1' }, { logger: silent })
    server.observe(source)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(1_500)
  })
})
