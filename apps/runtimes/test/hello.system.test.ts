import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUNDLERS } from './support/bundlers.ts'
import type { Listening } from './support/processes.ts'
import { connectHttp, ERAS } from './support/suite.ts'
import { serveInWorker } from './support/worker.ts'

const entry = fileURLToPath(new URL('../src/hello.ts', import.meta.url))

/** The size limits are explained in docs/design/decisions/presets.md. */
const MAX_KIB = 67

describe.each(Object.entries(BUNDLERS))('the hello world server bundled by %s', (_, bundle) => {
  let folder: string
  let file: string
  let server: Listening | undefined
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'jetway-hello-'))
    file = join(folder, 'worker.js')
    await bundle(entry, file)
    server = await serveInWorker(file)
  })
  afterAll(async () => {
    await server?.stop()
    await rm(folder, { recursive: true })
  })

  it(`is at most ${MAX_KIB} KiB, minified and gzipped`, async () => {
    expect(gzipSync(await readFile(file), { level: 9 }).length / 1024).toBeLessThanOrEqual(MAX_KIB)
  })

  it('is a single file without ajv', async () => {
    const code = await readFile(file, 'utf8')
    expect(code).not.toMatch(/^import\b|[;}]import ?[{*"']/m)
    expect(code).not.toMatch(/\bnew Function\b|\bfast-uri\b/)
  })

  it.each(ERAS)('serves clients that use %s', async (_era, revision) => {
    const peer = await connectHttp(() => server?.url ?? '')({ revision })
    expect(await peer.request('tools/call', { name: 'hello', arguments: {} })).toMatchObject({
      result: { content: [{ text: 'Hello, world' }] },
    })
    await peer.close()
  })
})
