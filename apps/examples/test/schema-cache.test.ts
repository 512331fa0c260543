import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@jetway/core'
import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { server as bundled } from '../src/bundled-ajv.ts'
import { build, stale } from '../src/schema-cache-by-hand.ts'
import { server as imported } from '../src/schema-cache.ts'
import { server as fromFolder } from '../src/schema-folder.ts'

const folder = fileURLToPath(new URL('../src/schemas', import.meta.url))

async function forecast(server: McpServer): Promise<unknown> {
  await using client = await connect(server)
  const { structuredContent } = await client.callTool('get_forecast', { city: 'Oslo' })
  return structuredContent
}

describe('the schema caches of the guide', () => {
  it('serve what the servers would serve without them', async () => {
    expect(await forecast(imported)).toEqual({ high: 21, low: 9 })
    expect(await forecast(fromFolder)).toEqual({ high: 21, low: 9 })
  })

  it('are those of the servers, and are built anew to the byte', async () => {
    expect(await stale(folder)).toEqual([])
    const other = await mkdtemp(join(tmpdir(), 'jetway-schemas-'))
    try {
      await build(other)
      const entriesOf = async (path: string): Promise<string> => {
        const text = await readFile(join(path, 'index.js'), 'utf8')
        return text.slice(text.indexOf('export default'))
      }
      expect(await entriesOf(other)).toBe(await entriesOf(folder))
    } finally {
      await rm(other, { recursive: true })
    }
  })

  it('are found by name, by the key of their author, or left out', async () => {
    const text = await readFile(join(folder, 'index.js'), 'utf8')
    expect(text.match(/"(?:tool|key):[^"]+"/g)).toEqual([
      '"key:stations:inputSchema"',
      '"tool:get_forecast:inputSchema"',
      '"tool:get_forecast:outputSchema"',
    ])
  })

  it('can be done without in a bundle that has ajv', () => {
    bundled.addTool({ name: 'a', inputSchema: { type: 'object' }, handler: () => '' })
    expect(bundled.runtime.schemaUses()).toHaveLength(1)
  })
})
