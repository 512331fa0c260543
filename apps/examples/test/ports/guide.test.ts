import { mkdtemp, rm, stat } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { diffLines } from 'diff'
import { expect, it } from 'vitest'
import { registerCreateDirectory, registerGetSum } from '../../src/migration/official-tools.ts'

const textOf = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

function region(path: string, name: string): string {
  const [, code = ''] = new RegExp(`// #region ${name}\n([^]*?)// #endregion`).exec(textOf(path)) ?? []
  return code
}

/** A diff that ignores indentation. */
function diffOf(before: string, after: string): string {
  const parts = diffLines(before, after, { ignoreWhitespace: true })
  const lines = parts.flatMap(({ added, removed, value }) => {
    const sign = added ? '+' : removed ? '-' : ' '
    return value
      .split('\n')
      .slice(0, -1)
      .map((line) => sign + line)
  })
  return `\`\`\`diff\n${lines.join('\n')}\n\`\`\``
}

it.each([
  ['get-sum', 'src/ports/everything/tools/get-sum.ts'],
  ['create_directory', 'src/ports/filesystem/tools/change.ts'],
])('the migration guide shows how the tool %s changes', (name, ported) => {
  const diff = diffOf(region('src/migration/official-tools.ts', name), region(ported, name))
  expect(textOf('../../docs/guide/coming-from-the-official-sdk.md')).toContain(diff)
})

it('the pre-migration tools in the guide run on the official SDK', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  const server = new McpServer({ name: 'before', version: '1.0.0' })
  registerGetSum(server)
  registerCreateDirectory(server, async (path) => join(folder, path))
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  try {
    const sum = await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 40 } })
    expect(sum).toMatchObject({ content: [{ text: 'The sum of 2 and 40 is 42.' }] })
    await client.callTool({ name: 'create_directory', arguments: { path: 'made' } })
    expect((await stat(join(folder, 'made'))).isDirectory()).toBe(true)
  } finally {
    await client.close()
    await rm(folder, { recursive: true })
  }
})
