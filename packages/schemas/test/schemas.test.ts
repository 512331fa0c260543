import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { McpServer } from '@jetway/core'
import { emptyCache, isIntact, renderSchemas, warmSchemas } from '@jetway/core/schema-cache'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSchemas, readSchemasOrEmpty, writeSchemas } from '../src/index.ts'

/** Beside the package, whose runtime the written module imports. */
const here = fileURLToPath(new URL('.', import.meta.url))
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(here, '.cache-'))
})
afterEach(() => rm(folder, { recursive: true }))

function serverWith(...names: readonly string[]): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  for (const name of names) {
    const text = { type: 'string', minLength: 2 }
    server.addTool({
      name,
      inputSchema: { type: 'object', properties: { text } },
      handler: ({ text: given }) => given,
    })
  }
  return server
}

const textOf = async (...names: readonly string[]): Promise<string> =>
  renderSchemas(await warmSchemas(serverWith(...names)))
const index = (): string => join(folder, 'index.js')

describe('a written cache', () => {
  it('is read again, from a folder that was not there', async () => {
    const deep = join(folder, 'a/b')
    expect(await writeSchemas(deep, await textOf('echo'))).toBe(true)
    const schemas = await readSchemas(deep)
    expect(Object.keys(schemas.entries)).toEqual(['tool:echo:inputSchema'])
    expect((await readdir(deep)).toSorted()).toEqual(['index.d.ts', 'index.js'])
  })

  it('is read anew once it has been written anew', async () => {
    await writeSchemas(folder, await textOf('one'))
    await readSchemas(folder)
    await writeSchemas(folder, await textOf('two'))
    expect(Object.keys((await readSchemas(folder)).entries)).toEqual(['tool:two:inputSchema'])
  })

  it('is not touched where it is as it should be', async () => {
    await writeSchemas(folder, await textOf('echo'))
    const before = await stat(index(), { bigint: true })
    expect(await writeSchemas(folder, await textOf('echo'))).toBe(false)
    expect((await stat(index(), { bigint: true })).mtimeNs).toBe(before.mtimeNs)
  })
})

describe('a cache that is not as it was written', () => {
  it.each<[string, (text: string) => string]>([
    ['a rule is changed', (text) => text.replace('"minLength":2', '"minLength":1')],
    ['the end is missing', (text) => text.slice(0, -10)],
    ['something is added', (text) => `${text}export const more = 1\n`],
    ['the first line is missing', (text) => text.slice(text.indexOf('\n') + 1)],
    ['a merge has left marks', (text) => text.replace('export default', '<<<<<<< HEAD\nexport default')],
    ['it is empty', () => ''],
  ])('is noticed: %s', async (_, change) => {
    await writeSchemas(folder, await textOf('echo'))
    await writeFile(index(), change(await readFile(index(), 'utf8')))
    await expect(readSchemas(folder)).rejects.toMatchObject({
      code: 'ERR_MCP_SCHEMA_CACHE',
      message: expect.stringContaining('not as it was written') as string,
    })
  })

  it('is noticed before any of its code runs', async () => {
    await writeFile(index(), 'globalThis.ranUnchecked = true\nexport default {}')
    await expect(readSchemas(folder)).rejects.toThrow('not as it was written')
    expect(globalThis).not.toHaveProperty('ranUnchecked')
  })

  it('can be done without: an empty one takes its place, and why is told', async () => {
    const told: unknown[] = []
    const onError = (error: unknown): void => void told.push(error)
    expect(await readSchemasOrEmpty(join(folder, 'none'), { onError })).toBe(emptyCache)
    await writeFile(index(), 'broken')
    expect(await readSchemasOrEmpty(folder, { onError })).toBe(emptyCache)
    expect(told.map(String)).toEqual([
      expect.stringMatching(/There is no schema cache at .*npx jetway schemas build/),
      expect.stringMatching(/is not as it was written.*npx jetway schemas build/),
    ])
  })

  it('is an error by itself where there is none', async () => {
    await expect(readSchemas(join(folder, 'none'))).rejects.toMatchObject({ code: 'ERR_MCP_SCHEMA_CACHE' })
  })
})

describe('writing', () => {
  it('by several at once leaves the cache of one of them, and nothing else', async () => {
    const texts = await Promise.all(['a', 'b', 'c', 'd'].map((name) => textOf(name)))
    await Promise.all([...texts, ...texts, ...texts].map((text) => writeSchemas(folder, text)))
    expect(texts).toContain(await readFile(index(), 'utf8'))
    expect((await readdir(folder)).toSorted()).toEqual(['index.d.ts', 'index.js'])
  })

  it('leaves nothing behind where it fails', async () => {
    await mkdir(index())
    await expect(writeSchemas(folder, await textOf('a'))).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST|EPERM/)
    expect((await readdir(folder)).toSorted()).toEqual(['index.d.ts', 'index.js'])
  })

  it('leaves a whole cache when the writer is killed as soon as it has touched the folder', async () => {
    const fixture = fileURLToPath(new URL('fixtures/write-for-ever.mjs', import.meta.url))
    await writeSchemas(folder, await textOf('echo'))
    for (let round = 0; round < 3; round++) {
      const watcher = watch(folder)
      const writer = spawn(process.execPath, [fixture, folder], { stdio: 'inherit' })
      await once(watcher, 'change')
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      watcher.close()
      expect(await isIntact(await readFile(index(), 'utf8'))).toBe(true)
    }
  })
})
