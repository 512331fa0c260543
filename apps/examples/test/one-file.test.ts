import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { build } from 'esbuild'
import { afterEach, expect, it } from 'vitest'

const folders: string[] = []

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

it('a bundled server runs without any installed packages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'one-file-'))
  folders.push(folder)
  const outfile = join(folder, 'server.mjs')
  const entry = fileURLToPath(new URL('../src/quickstart/one-file.ts', import.meta.url))
  // This is equivalent to `esbuild server.ts --bundle --platform=node --format=esm --outfile=server.mjs`.
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [outfile], cwd: folder }))
  try {
    const { structuredContent } = await client.callTool({ name: 'roll' })
    expect(structuredContent).toEqual({ rolled: expect.any(Number) })
  } finally {
    await client.close()
  }
})
