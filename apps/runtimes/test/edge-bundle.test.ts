import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { McpServer } from '@jetway/core'
import { renderSchemas, warmSchemas } from '@jetway/core/schema-cache'
import { build, type BuildResult, type Plugin } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Somewhat above what it weighs, so that who makes it heavier notices. What it weighs, and why: docs/design/decisions/edge-weight.md */
const MAX_KIB = 86

const here = fileURLToPath(new URL('.', import.meta.url))

const TOOL = {
  name: 'hello',
  description: 'Says hello',
  inputSchema: { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] },
  outputSchema: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] },
} as const

const WORKER = `
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import schemas from 'schemas'
const server = new McpServer({ name: 'hello', version: '1.0.0' }, { schemas })
server.addTool({ ...${JSON.stringify(TOOL)}, handler: ({ name }) => ({ greeting: 'Hello, ' + name }) })
export default { fetch: toFetch(server) }
`

/** A user of the worker, in a process that may not make code of text. */
const USER = `
const { default: worker } = await import(process.argv[1])
const call = async (name) => {
  const version = '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'user', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    'content-type': 'application/json', accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'hello',
  }
  const params = { name: 'hello', arguments: { name }, _meta }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const response = await worker.fetch(new Request('https://hello.example/mcp', { method: 'POST', headers, body }))
  return (await response.json()).result
}
console.log(JSON.stringify([await call('Ada'), await call('')]))
`

let folder: string
let bundle: BuildResult<{ write: false; metafile: true }>

/** As a deployment is made of the published package: no source, minified, in one file. */
function pack(schemas: string): Promise<typeof bundle> {
  const cache: Plugin = {
    name: 'schema-cache',
    setup(building) {
      building.onResolve({ filter: /^schemas$/ }, () => ({ path: 'schemas', namespace: 'cache' }))
      building.onLoad({ filter: /.*/, namespace: 'cache' }, () => ({ contents: schemas, resolveDir: here }))
    },
  }
  return build({
    stdin: { contents: WORKER, resolveDir: here },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    write: false,
    metafile: true,
    plugins: [cache],
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edge-'))
  const server = new McpServer({ name: 'hello', version: '1.0.0' })
  server.addTool({ ...TOOL, handler: ({ name }) => ({ greeting: name }) })
  bundle = await pack(await renderSchemas(await warmSchemas(server)))
})

afterAll(() => rm(folder, { recursive: true }))

describe('a worker that says hello, from a schema cache', () => {
  it(`weighs at most ${MAX_KIB} KiB, minified and gzipped`, () => {
    const [file] = bundle.outputFiles
    expect(gzipSync(file?.contents ?? '', { level: 9 }).length / 1024).toBeLessThanOrEqual(MAX_KIB)
  })

  it('carries neither ajv nor zod, and nothing of a runtime', () => {
    const inputs = Object.keys(bundle.metafile.inputs)
    expect(inputs.filter((input) => /ajv|zod|node_modules/.test(input))).toEqual([])
    expect(inputs.filter((input) => /packages\/core\/dist\//.test(input)).length).toBeGreaterThan(0)
    expect(Object.values(bundle.metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  })

  it('validates where no code may be made of text', async () => {
    const path = join(folder, 'worker.mjs')
    await writeFile(path, bundle.outputFiles[0]?.contents ?? '')
    const args = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', USER, path]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const [greeted, refused] = JSON.parse(stdout) as { isError?: boolean; structuredContent?: unknown }[]
    expect(greeted).toMatchObject({ structuredContent: { greeting: 'Hello, Ada' } })
    expect(refused).toMatchObject({ isError: true })
  })
})
