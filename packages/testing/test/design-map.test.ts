import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { httpLayers, layers } from './architecture/rules.ts'
import { namesDeclared, parseSource } from './architecture/source.ts'
import { map } from './support/design-map.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { text, hops, rooms } = map

const files = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => map.pathOf(file))

const foldersOf = (folder: string): string[] =>
  readdirSync(root + folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

describe('the code map', () => {
  it('names files that exist', () => {
    expect(files.length).toBeGreaterThan(70)
    expect(files.filter((path) => !existsSync(root + path))).toEqual([])
  })

  it.each(hops)('for $flow, names only functions that are declared in $path', ({ path, names }) => {
    const declared = namesDeclared(parseSource(path, readFileSync(root + path, 'utf8')))
    expect(names.filter((name) => !declared.has(name))).toEqual([])
  })

  it('shows every folder in core and in http/', () => {
    const core = rooms.map(({ name }) => name).filter((name) => !name.endsWith('.ts'))
    expect(core.toSorted()).toEqual(foldersOf('packages/core/src').toSorted())
    const http = rooms.find(({ name }) => name === 'http')?.rooms.map(({ name }) => name)
    expect(http?.toSorted()).toEqual(foldersOf('packages/core/src/http').toSorted())
  })

  it('shows the folders in import order', () => {
    const places = (order: readonly (readonly string[])[], names: readonly string[]): number[] =>
      names.map((name) => order.findIndex((group) => group.includes(name.replace('.ts', ''))))
    const sorted = (numbers: number[]): number[] => numbers.toSorted((a, b) => a - b)
    const core = places(
      layers,
      rooms.map(({ name }) => name),
    )
    expect(core).toEqual(sorted(core))
    const inside = rooms.find(({ name }) => name === 'http')?.rooms ?? []
    const http = places(
      httpLayers,
      inside.map(({ name }) => name),
    )
    expect(http).toEqual(sorted(http))
  })

  it('lists the same import orders as the architecture test', () => {
    expect(map.orders).toEqual([[...layers, ['entries']], httpLayers])
  })
})

describe('the diagram of the code map', () => {
  it('matches the code map in both themes', async () => {
    const script = (await import(new URL('../../../scripts/map.mjs', import.meta.url).href)) as {
      pictures(): readonly { theme: string; drawn: string; committed: string }[]
    }
    const pictures = script.pictures()
    expect(pictures.map(({ theme }) => theme)).toEqual(['light', 'dark'])
    for (const { drawn, committed } of pictures)
      expect(committed === drawn, 'update it by node scripts/map.mjs --write').toBe(true)
  })
})
