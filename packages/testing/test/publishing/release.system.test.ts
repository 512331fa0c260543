import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DECIDED, load, temporaryFolder } from './support.ts'

interface Entry {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly integrity: string
}

interface Release {
  readonly version: string
  readonly tag: string
  readonly publishing: string
  readonly repository: string
  readonly workflow: string
  readonly packages: readonly Entry[]
}

interface Upload {
  readonly isAtLeast: (version: string, least: string) => boolean
  readonly upload: (
    release: Release,
    folder: string,
    registry: string,
    npm: (args: readonly string[]) => number,
  ) => Promise<string[]>
}

interface Verify {
  readonly verify: (
    release: Release,
    registry: string,
    limits?: { readonly tries: number; readonly waitMs: number },
  ) => Promise<string[]>
}

interface Collect {
  readonly describeRelease: (folder: string, facts: object) => Release
  readonly inOrder: (packages: readonly { name: string; needs: readonly string[] }[]) => { name: string }[]
}

const { isAtLeast, upload } = await load<Upload>('scripts/release/upload.mjs')
const { verify } = await load<Verify>('scripts/release/verify.mjs')
const { describeRelease, inOrder } = await load<Collect>('scripts/release/collect.mjs')

/** Creates a folder with the tarballs of packages, and with lists of what each of them installs. */
function releaseFolder(packages: Readonly<Record<string, object>>): string {
  const folder = temporaryFolder()
  for (const [name, manifest] of Object.entries(packages)) {
    const source = join(folder, 'source', name)
    mkdirSync(join(source, 'package'), { recursive: true })
    writeFileSync(join(source, 'package', 'package.json'), JSON.stringify(manifest))
    execFileSync('tar', ['-czf', join(folder, `${name}.tgz`), '-C', source, 'package'], { stdio: 'pipe' })
    writeFileSync(join(folder, `${name}.cdx.json`), '{}')
  }
  return folder
}

const PACKAGES = {
  'jetway-stdio': {
    name: '@jetway/stdio',
    version: '0.1.0',
    dependencies: { '@jetway/core': '^0.1.0', other: '1' },
  },
  'jetway-core': { name: '@jetway/core', version: '0.1.0' },
}

const released = (): { readonly folder: string; readonly release: Release } => {
  const folder = releaseFolder(PACKAGES)
  return { folder, release: describeRelease(folder, DECIDED) }
}

/** Starts a registry that serves a body for each path, or replies with a status. Returns its address. */
async function registry(bodies: (path: string, origin: string) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    const body = bodies(decodeURIComponent(request.url ?? ''), origin)
    response.statusCode = typeof body === 'number' ? body : body === undefined ? 404 : 200
    response.end(typeof body === 'number' ? '' : JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return origin
}

const packument = (entry: Entry, dist: object): object => ({ versions: { [entry.version]: { dist } } })

describe('describeRelease', () => {
  it('lists the packages in dependency order, with their digests', () => {
    const { release } = released()
    expect(release).toMatchObject({
      version: '0.1.0',
      tag: 'v0.1.0',
      publishing: 'staged',
      repository: 'https://github.com/acme/jetway',
      workflow: '.github/workflows/release.yml',
    })
    expect(release.packages.map(({ name }) => name)).toEqual(['@jetway/core', '@jetway/stdio'])
    for (const { integrity } of release.packages) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/)
  })

  it.each([
    ['the documents still say how to pack', {}, { ...DECIDED, published: false }, 'Set published to true'],
    [
      'the packages have several versions',
      { 'jetway-core': { name: '@jetway/core', version: '0.2.0' } },
      DECIDED,
      'several versions: 0.',
    ],
  ])('fails if %s', (_, others, facts, problem) => {
    const folder = releaseFolder({ ...PACKAGES, ...others })
    expect(() => describeRelease(folder, facts)).toThrow(problem)
  })

  it('fails if the tarballs or the list of installed packages are missing', () => {
    expect(() => describeRelease(temporaryFolder(), DECIDED)).toThrow('has no tarballs')
    const folder = releaseFolder(PACKAGES)
    rmSync(join(folder, 'jetway-core.cdx.json'))
    expect(() => describeRelease(folder, DECIDED)).toThrow('jetway-core.cdx.json is missing')
  })
})

describe('inOrder', () => {
  it('sorts each package after its dependencies, and otherwise by name', () => {
    const needs = { d: ['c', 'a'], c: ['b'], b: ['elsewhere'], a: [] }
    const packages = Object.entries(needs).map(([name, needed]) => ({ name, needs: needed }))
    expect(inOrder(packages).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
    expect(
      inOrder([
        { name: 'a', needs: ['z'] },
        { name: 'z', needs: [] },
      ]).map(({ name }) => name),
    ).toEqual(['z', 'a'])
  })
})

describe('upload', () => {
  it.each([
    ['staged', '0.1.0', ['stage', 'publish', 'FILE', '--access', 'public']],
    ['direct', '0.1.0', ['publish', 'FILE', '--access', 'public']],
    ['staged', '0.1.0-beta.1', ['stage', 'publish', 'FILE', '--access', 'public', '--tag', 'next']],
  ])('uploads the tarballs in order: %s, %s', async (publishing, version, args) => {
    const { folder, release } = released()
    const npm = vi.fn<(args: readonly string[]) => number>(() => 0)
    const address = await registry(() => undefined)
    expect(await upload({ ...release, publishing, version }, folder, address, npm)).toEqual([])
    expect(npm.mock.calls.map(([called]) => called)).toEqual(
      ['jetway-core.tgz', 'jetway-stdio.tgz'].map((name) =>
        args.map((arg) => (arg === 'FILE' ? join(folder, name) : arg)),
      ),
    )
  })

  it('uploads nothing if a tarball differs from the tested one', async () => {
    const { folder, release } = released()
    writeFileSync(join(folder, 'jetway-stdio.tgz'), 'other bytes')
    const npm = vi.fn<() => number>(() => 0)
    expect(await upload(release, folder, 'http://127.0.0.1:1', npm)).toEqual([
      'jetway-stdio.tgz is not the tarball that was tested. Nothing was uploaded',
    ])
    expect(npm).not.toHaveBeenCalled()
  })

  it('skips a version that is already on npm, and reports one with different content', async () => {
    const { folder, release } = released()
    const [core, stdio] = release.packages as [Entry, Entry]
    const address = await registry((path) =>
      path === '/@jetway/core'
        ? packument(core, { integrity: core.integrity })
        : packument(stdio, { integrity: 'sha512-other' }),
    )
    const npm = vi.fn<() => number>(() => 0)
    const print = vi.spyOn(console, 'log').mockReturnValue()
    onTestFinished(() => print.mockRestore())
    expect(await upload(release, folder, address, npm)).toEqual([
      '@jetway/stdio@0.1.0 is on npm with other bytes. Release another version',
    ])
    expect(npm).not.toHaveBeenCalled()
    expect(print).toHaveBeenCalledWith('@jetway/core@0.1.0 is on npm already')
  })

  it('continues with the next package after npm fails, and reports the failure', async () => {
    const { folder, release } = released()
    const npm = vi.fn<() => number>(() => 0).mockReturnValueOnce(1)
    const address = await registry(() => undefined)
    expect(await upload(release, folder, address, npm)).toEqual(['npm ended with 1 for @jetway/core@0.1.0'])
    expect(npm).toHaveBeenCalledTimes(2)
  })

  it('uploads nothing if the registry is not available', async () => {
    const { folder, release } = released()
    const address = await registry(() => 503)
    await expect(upload(release, folder, address, () => 0)).rejects.toThrow('answers 503')
  })
})

describe('isAtLeast', () => {
  it.each([
    ['11.15.0', true],
    ['11.19.1', true],
    ['12.0.0-pre.1', true],
    ['11.9.9', false],
    ['10.20.0', false],
    ['', false],
  ])('compares npm versions: %s', (version, expected) => {
    expect(isAtLeast(version, '11.15.0')).toBe(expected)
  })
})

describe('verify', () => {
  const TRIES = { tries: 3, waitMs: 1 }

  interface Statement {
    readonly repository?: string
    readonly path?: string
    readonly bytes?: string
  }

  /**
   * Returns what the registry stores about a package: its digest and, at another address, the provenance
   * statement.
   */
  const served = ({ repository, path, bytes }: Statement = {}) => {
    const { folder, release } = released()
    const only = { ...release, packages: release.packages.slice(0, 1) }
    const [core] = only.packages as [Entry]
    const digest = bytes ?? Buffer.from(core.integrity.slice('sha512-'.length), 'base64').toString('hex')
    const statement = {
      subject: [{ name: 'pkg:npm/%40jetway/core@0.1.0', digest: { sha512: digest } }],
      predicate: {
        buildDefinition: {
          externalParameters: {
            workflow: { repository: repository ?? release.repository, path: path ?? release.workflow },
          },
        },
      },
    }
    const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
    const predicateType = 'https://slsa.dev/provenance/v1'
    const attestations = [
      { predicateType: 'https://github.com/npm/attestation/publish/v1', bundle: {} },
      { predicateType, bundle: { dsseEnvelope: { payload } } },
    ]
    const dist = (origin: string): object => ({
      integrity: core.integrity,
      attestations: { url: `${origin}/attestations`, provenance: { predicateType } },
    })
    const bodies = (url: string, origin: string): unknown =>
      url === '/attestations' ? { attestations } : packument(core, dist(origin))
    return { folder, release: only, core, bodies, dist }
  }

  it('accepts the tested files with a provenance statement from the release workflow', async () => {
    const { release, bodies } = served()
    expect(await verify(release, await registry(bodies), TRIES)).toEqual([])
  })

  it.each<[string, Statement, string]>([
    [
      'another repository',
      { repository: 'https://github.com/mallory/jetway' },
      'it was built from https://github.com/mallory/jetway, not https://github.com/acme/jetway',
    ],
    [
      'another workflow',
      { path: '.github/workflows/ci.yml' },
      'it was built by .github/workflows/ci.yml, not .github/workflows/release.yml',
    ],
    ['other bytes', { bytes: 'ab'.repeat(64) }, 'its provenance is about other bytes'],
  ])('rejects a provenance statement that names %s', async (_, statement, problem) => {
    const { release, bodies } = served(statement)
    expect(await verify(release, await registry(bodies), TRIES)).toEqual([`@jetway/core@0.1.0: ${problem}`])
  })

  it('rejects a version without provenance or with different content', async () => {
    const { release, core, dist } = served()
    const plain = await registry(() => packument(core, { integrity: core.integrity }))
    expect(await verify(release, plain, TRIES)).toEqual(['@jetway/core@0.1.0: npm has no provenance of it'])
    const other = createHash('sha512').update('other').digest('base64')
    const changed = await registry((_, origin) =>
      packument(core, { ...dist(origin), integrity: `sha512-${other}` }),
    )
    expect(await verify(release, changed, TRIES)).toEqual([
      '@jetway/core@0.1.0: npm serves other bytes than those that were tested',
    ])
  })

  it('retries while the version is missing from the registry', async () => {
    const { release, bodies } = served()
    let requests = 0
    const late = await registry((url, origin) => {
      requests += 1
      return requests < 3 ? undefined : bodies(url, origin)
    })
    expect(await verify(release, late, TRIES)).toEqual([])
    requests = -10
    expect(await verify(release, late, TRIES)).toEqual([expect.stringContaining('answers 404')])
  })
})
