import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const core = fileURLToPath(new URL('../../core', import.meta.url))

interface Manifest {
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Searches as Node does: in `node_modules` of the folder and of each folder above it. */
function find(name: string, from: string): string {
  const candidate = join(from, 'node_modules', name)
  if (existsSync(candidate)) return realpathSync(candidate)
  if (dirname(from) === from) throw new Error(`${name} is not installed`)
  return find(name, dirname(from))
}

/**
 * Returns the folders that installing a package adds, starting with the package itself. Optional peers do not
 * count.
 */
function installed(folder: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(folder)) return found
  found.add(folder)
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) installed(find(name, folder), found)
  return found
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? bytesIn(path) : statSync(path).size), 0)
}

/** Counts only the published files of a workspace package, but all files of a package from the registry. */
function shippedBytes(folder: string): number {
  if (relative(core, folder) !== '') return bytesIn(folder)
  return (manifestOf(folder).files ?? []).reduce((sum, file) => sum + bytesIn(join(folder, file)), 0)
}

describe('an installation of @jetway/core without zod', () => {
  const folders = [...installed(core)]

  it('contains at most 9 packages', () => {
    expect(folders.length).toBeLessThanOrEqual(9)
  })

  it('takes up at most 2.5 MB, including the built package', () => {
    expect(existsSync(join(core, 'dist/index.js')), 'core is built').toBe(true)
    expect(folders.reduce((sum, folder) => sum + shippedBytes(folder), 0)).toBeLessThanOrEqual(2.5e6)
  })

  it('depends only on ajv and @jetway/json-schema', () => {
    expect(Object.keys(manifestOf(core).dependencies ?? {})).toEqual(['@jetway/json-schema', 'ajv'])
  })
})

describe('@jetway/core', async () => {
  const { measureCore, LIMITS } = (await import(
    new URL('../../../scripts/core-size.mjs', import.meta.url).href
  )) as {
    readonly LIMITS: { readonly codeLines: number; readonly narrowInterfaces: number }
    readonly measureCore: () => { readonly codeLines: number; readonly narrowInterfaces: readonly string[] }
  }
  const measured = measureCore()

  it('has at most 21,500 lines of code, and those of its seams', () => {
    expect(LIMITS.codeLines).toBe(21_838)
    expect(measured.codeLines).toBeGreaterThan(10_000)
    expect(measured.codeLines).toBeLessThanOrEqual(LIMITS.codeLines)
  })

  it('exports at most 80 interfaces that fewer than two other files use', () => {
    expect(LIMITS.narrowInterfaces).toBe(80)
    const { narrowInterfaces } = measured
    expect(narrowInterfaces.length, narrowInterfaces.join('\n')).toBeLessThanOrEqual(LIMITS.narrowInterfaces)
  })
})
