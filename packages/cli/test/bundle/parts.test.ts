import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { type Archive, pack, readEntry, textFile, unpack } from '../../src/bundle/archive.ts'
import { closureOf } from '../../src/bundle/closure.ts'
import { hasNativeCode, readPackage, type InstalledPackage } from '../../src/bundle/installed-package.ts'
import { collectLicences } from '../../src/bundle/licences.ts'
import { preludeOf } from '../../src/bundle/prelude.ts'
import { environmentOf, userConfigKeys, userConfigOf } from '../../src/bundle/user-config.ts'
import { folderOf } from '../support/folder.ts'

const files = (): Archive =>
  new Map([
    ['b.txt', textFile('b')],
    ['a/run', { ...textFile('#!/bin/sh\n'), isExecutable: true }],
  ])

describe('pack', () => {
  it('returns the same bytes for the same files, regardless of their order', () => {
    const bytes = pack(files())
    expect(pack(new Map([...files()].toReversed()))).toEqual(bytes)
    expect(Object.keys(unzipSync(bytes))).toEqual(['a/run', 'b.txt'])
  })

  it('preserves executable permissions', () => {
    const folder = folderOf({})
    unpack(pack(files()), folder)
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('b')
    expect(statSync(join(folder, 'a/run')).mode & 0o100).toBe(0o100)
    // The central directory stores each file's mode in the upper half of its attributes.
    const text = Buffer.from(pack(files())).toString('latin1')
    const central = text.slice(text.indexOf('PK\u0001\u0002'))
    expect(Buffer.from(central, 'latin1').readUInt32LE(38) >>> 16).toBe(0o100755)
  })
})

describe('unpack', () => {
  it('rejects a path that leads outside the folder', () => {
    const bytes = zipSync({ '../evil.txt': new Uint8Array([1]) })
    expect(() => unpack(bytes, folderOf({}))).toThrow('leads outside')
  })
})

it('readEntry reads one file', () => {
  expect(Buffer.from(readEntry(pack(files()), 'b.txt') ?? []).toString()).toBe('b')
  expect(readEntry(pack(files()), 'c.txt')).toBeUndefined()
})

const installed = (name: string, folder: string, licence?: string): InstalledPackage => ({
  name,
  folder,
  licence,
  version: '1.0.0',
  dependencies: [],
  optional: [],
})

describe('collectLicences', () => {
  it('groups packages with the same licence text, and lists packages without a licence', () => {
    const folder = folderOf({
      'node_modules/a/LICENSE': 'MIT text\r\n',
      'node_modules/b/license.md': 'MIT text',
      'node_modules/b/license-checker.js': 'code',
      'node_modules/c/index.js': '',
      'node_modules/d/NOTICE': 'Notice',
      'node_modules/d/COPYING': 'GPL text',
    })
    const packages = ['a', 'b', 'c', 'd'].map((name) =>
      installed(name, join(folder, 'node_modules', name), name === 'a' ? 'MIT' : undefined),
    )
    const { text, missing } = collectLicences(packages)
    expect(missing).toEqual(['c@1.0.0'])
    expect(text).toContain('a 1.0.0 (MIT)\nb 1.0.0\n\nMIT text\n')
    expect(text).toContain('c 1.0.0\n\nThe package has no licence file.')
    expect(text).toContain('d 1.0.0\n\nGPL text\n\nNotice')
    expect(text).not.toContain('code')
  })

  it("uses the repository's licence for a workspace package", () => {
    const folder = folderOf({ '.git/HEAD': '', LICENSE: 'Ours', 'packages/a/index.js': '' })
    expect(collectLicences([installed('a', join(folder, 'packages/a'))])).toMatchObject({ missing: [] })
  })
})

describe('closureOf', () => {
  const manifest = (name: string, version: string, dependencies: object = {}, optional: object = {}) =>
    JSON.stringify({
      name,
      version,
      dependencies: { ...dependencies, ...optional },
      optionalDependencies: optional,
    })

  it('places a second version of a package inside the package that depends on it', () => {
    const folder = folderOf({
      'node_modules/a/package.json': manifest('a', '1.0.0', { c: '1', b: '1' }),
      'node_modules/b/package.json': manifest('b', '1.0.0', { c: '2', a: '1' }),
      'node_modules/b/node_modules/c/package.json': manifest('c', '2.0.0'),
      'node_modules/c/package.json': manifest('c', '1.0.0'),
    })
    const closure = closureOf(['a'], folder)
    expect([...closure].map(([place, { version }]) => `${place}@${version}`)).toEqual([
      'node_modules/a@1.0.0',
      'node_modules/b@1.0.0',
      'node_modules/c@1.0.0',
      'node_modules/b/node_modules/c@2.0.0',
    ])
  })

  it("follows pnpm's symbolic links", () => {
    const folder = folderOf({
      'store/a@1/node_modules/a/package.json': manifest('a', '1.0.0', { b: '1' }),
      'store/a@1/node_modules/b/package.json': manifest('b', '1.0.0'),
    })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(folder, 'store/a@1/node_modules/a'), join(folder, 'node_modules/a'), 'junction')
    expect([...closureOf(['a'], folder).keys()]).toEqual(['node_modules/a', 'node_modules/b'])
  })

  it('omits optional dependencies that are not installed, and throws for required ones', () => {
    const folder = folderOf({
      'node_modules/a/package.json': manifest('a', '1.0.0', {}, { gone: '1' }),
      'node_modules/b/package.json': manifest('b', '1.0.0', { gone: '1' }),
    })
    expect([...closureOf(['a'], folder).keys()]).toEqual(['node_modules/a'])
    expect(() => closureOf(['b'], folder)).toThrow('gone is not installed')
  })
})

describe('hasNativeCode', () => {
  it('finds Node.js add-ons, but ignores nested packages', () => {
    const folder = folderOf({ 'package.json': { name: 'a', version: '1.0.0' }, 'node_modules/b/b.node': '' })
    const found = readPackage(folder) as InstalledPackage
    expect(hasNativeCode(found)).toBe(false)
    mkdirSync(join(folder, 'prebuilds'))
    writeFileSync(join(folder, 'prebuilds/a.node'), '')
    expect(hasNativeCode(found)).toBe(true)
  })
})

describe('user_config', () => {
  const text = { title: 'Key', description: 'The key' }
  const settings = {
    API_KEY: { ...text, secret: true, required: true },
    api_key: { ...text, type: 'number', default: 3 },
  } as const

  it('has a key for each variable, even if the names of two variables differ only in case', () => {
    expect([...userConfigKeys({ settings })]).toEqual([
      ['API_KEY', 'api_key'],
      ['api_key', 'api_key_2'],
    ])
    expect(environmentOf({ settings })).toEqual({
      API_KEY: '${user_config.api_key}',
      api_key: '${user_config.api_key_2}',
    })
    expect(userConfigOf({ settings })).toEqual({
      api_key: { type: 'string', ...text, required: true, sensitive: true },
      api_key_2: { type: 'number', ...text, default: 3 },
    })
  })
})

describe('preludeOf', () => {
  it('removes variables whose settings have no value', () => {
    const { banner } = preludeOf(new Map([['API_KEY', 'api_key']]))
    const loop = banner.slice(banner.indexOf('for ('))
    const env: Record<string, string> = { API_KEY: '${user_config.api_key}', OTHER: '' }
    // The loop is the last part of the code, and does not depend on the rest.
    runInNewContext(loop, { process: { env } })
    expect(env).toEqual({ OTHER: '' })
  })

  it('contains no loop if there are no settings', () => {
    expect(preludeOf(new Map()).banner).not.toContain('for (')
  })
})
