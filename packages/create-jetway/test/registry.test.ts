import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scripts } from './support/registry.ts'

const UPSTREAM = 'http://127.0.0.1:9/upstream/'

/** Creates a folder with a tarball of each of these packages. */
function tarballs(...manifests: readonly { readonly name: string; readonly version: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-registry-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'source/package'), { recursive: true })
  for (const manifest of manifests) {
    // This file precedes the manifest, so that a reader has to skip it.
    writeFileSync(join(folder, 'source/package/a.txt'), 'a'.repeat(1_000))
    writeFileSync(join(folder, 'source/package/package.json'), JSON.stringify(manifest))
    const file = join(folder, `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`)
    execFileSync(
      'tar',
      ['-czf', file, '-C', join(folder, 'source'), 'package/a.txt', 'package/package.json'],
      {
        stdio: 'ignore',
      },
    )
  }
  return folder
}

async function serve(folder: string): Promise<string> {
  const registry = await scripts.startRegistry({ folder, upstream: UPSTREAM })
  onTestFinished(() => registry.close())
  return registry.url
}

const get = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', ...init })

describe('the registry that serves tarballs', () => {
  it.each(['create-thing', '@scope/thing'])(
    'returns the version in the tarball as the latest version: %s',
    async (name) => {
      const manifest = { name, version: '1.2.3', bin: { thing: 'a.js' } }
      const folder = tarballs(manifest)
      const url = await serve(folder)
      const response = await get(url + name.replace('/', '%2f'))
      const packument = (await response.json()) as {
        readonly versions: Readonly<Record<string, { readonly dist: Readonly<Record<string, string>> }>>
      }
      expect(packument).toMatchObject({
        name,
        'dist-tags': { latest: '1.2.3' },
        versions: { '1.2.3': manifest },
      })
      const { tarball = '', integrity, shasum } = packument.versions['1.2.3']?.dist ?? {}
      const bytes = Buffer.from(await (await get(tarball)).arrayBuffer())
      expect(bytes).toEqual(
        readFileSync(join(folder, `${name.replace('@', '').replace('/', '-')}-1.2.3.tgz`)),
      )
      expect(integrity).toBe(`sha512-${createHash('sha512').update(bytes).digest('base64')}`)
      expect(tarball, 'other bytes have another address').toContain(shasum)
      expect(shasum).toBe(createHash('sha1').update(bytes).digest('hex'))
    },
  )

  it.each(['fastify', '@types%2fnode', '-/ping', 'fastify/-/fastify-5.0.0.tgz', '..%2f..%2fetc%2fpasswd'])(
    'redirects all other requests to the upstream registry: %s',
    async (path) => {
      const response = await get((await serve(tarballs({ name: 'a', version: '1.0.0' }))) + path)
      expect([response.status, response.headers.get('location')]).toEqual([302, UPSTREAM + path])
    },
  )

  it.each(['PUT', 'POST', 'DELETE', 'PATCH'])('responds to %s with 405', async (method) => {
    const response = await get(`${await serve(tarballs({ name: 'a', version: '1.0.0' }))}a`, { method })
    expect(response.status).toBe(405)
    expect(await response.json()).toEqual({ error: 'This registry is read-only' })
  })

  it('responds to HEAD without a body, and to an invalid path with 400', async () => {
    const url = await serve(tarballs({ name: 'a', version: '1.0.0' }))
    expect(await (await get(`${url}a`, { method: 'HEAD' })).text()).toBe('')
    expect((await get(`${url}%zz`)).status).toBe(400)
  })

  it('does not start if it finds two versions of one package', async () => {
    const folder = tarballs({ name: 'a', version: '1.0.0' }, { name: 'a', version: '1.0.1' })
    await expect(serve(folder)).rejects.toThrow('has two versions of a. Run: npm run pack')
  })
})
