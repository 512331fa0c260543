import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, type ClientOptions } from '@jetway/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from './support/servers.ts'

let folder: string
const open: Client[] = []
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'jetway-real-servers-')))
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()))
  rmSync(folder, { recursive: true })
})

async function connect(dial: ReturnType<typeof run>, options: ClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'real-servers', version: '1.0.0' }, { eras: false, ...options })
  open.push(client)
  return client.connect(dial)
}

describe('server-filesystem as a child process', () => {
  it('reads and writes files only in its folder', async () => {
    const client = await connect(run('filesystem', [folder]))
    const tools = await client.listTools()
    expect(tools.find(({ name }) => name === 'write_file')).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true },
    })
    const path = join(folder, 'note.txt')
    await client.callTool('write_file', { path, content: 'one\ntwo 🛫\n' })
    expect(await client.callTool('read_text_file', { path })).toMatchObject({
      content: [{ type: 'text', text: 'one\ntwo 🛫\n' }],
      structuredContent: { content: 'one\ntwo 🛫\n' },
    })
    expect(await client.callTool('list_directory', { path: folder })).toMatchObject({
      structuredContent: { content: '[FILE] note.txt' },
    })
    expect(await client.callTool('read_text_file', { path: '/etc/hostname' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('outside allowed directories') }],
    })
  })

  it('returns media with structured content for an anyOf schema', async () => {
    const client = await connect(run('filesystem', [folder]))
    await client.listTools()
    const path = join(folder, 'dot.png')
    writeFileSync(path, Buffer.from('89504e470d0a1a0a', 'hex'))
    expect(await client.callTool('read_media_file', { path })).toMatchObject({
      content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
      structuredContent: { content: [{ type: 'image' }] },
    })
  })

  it('uses the client’s roots, and updates them when they change', async () => {
    const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string]
    mkdirSync(first)
    mkdirSync(second)
    const roots = [first]
    const client = await connect(run('filesystem', [first]), {
      handlers: { roots: () => roots.map((root) => ({ uri: pathToFileURL(root).href })) },
    })
    const allowed = async (): Promise<unknown> => {
      const { content } = await client.callTool('list_allowed_directories')
      return content[0]?.type === 'text' ? content[0].text.split('\n').slice(1) : undefined
    }
    await vi.waitFor(async () => expect(await allowed()).toEqual([first]))
    roots.push(second)
    await client.rootsChanged()
    await vi.waitFor(async () => expect(await allowed()).toEqual([first, second]))
  })

  it('reports the reason if it cannot start', async () => {
    const stderrLines: string[] = []
    const missing = run('filesystem', [join(folder, 'missing')], { stderr: (line) => stderrLines.push(line) })
    const failure = await connect(missing).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'closed',
      cause: {
        exitCode: 1,
        message: expect.stringContaining('None of the specified directories are accessible'),
      },
    })
    expect(stderrLines.length).toBeGreaterThan(1)
  })
})

describe('server-memory as a child process', () => {
  it('keeps entities across restarts until they are deleted', async () => {
    const file = join(folder, 'memory.jsonl')
    const dial = run('memory', [], { env: { MEMORY_FILE_PATH: file } })
    const client = await connect(dial)
    await client.listTools()
    const ann = { name: 'Ann', entityType: 'person', observations: ['flies'] }
    const bob = { name: 'Bob', entityType: 'person', observations: [] }
    expect(await client.callTool('create_entities', { entities: [ann, bob] })).toMatchObject({
      structuredContent: { entities: [ann, bob] },
    })
    const relation = { from: 'Ann', to: 'Bob', relationType: 'knows' }
    await client.callTool('create_relations', { relations: [relation] })
    await client.close()

    const again = await connect(dial)
    await again.listTools()
    expect(await again.callTool('search_nodes', { query: 'flies' })).toMatchObject({
      structuredContent: { entities: [ann] },
    })
    await again.callTool('delete_entities', { entityNames: ['Ann'] })
    expect(await again.callTool('read_graph')).toMatchObject({
      structuredContent: { entities: [bob], relations: [] },
    })
  })
})
