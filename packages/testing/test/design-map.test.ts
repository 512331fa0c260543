import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { layers } from './architecture/rules.ts'
import { namesDeclared, parseSource } from './architecture/source.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = 'docs/design/README.md'
const text = readFileSync(root + page, 'utf8')

interface Hop {
  readonly flow: string
  readonly path: string
  readonly names: readonly string[]
}

/** A hop reads `1. \`file\` \`function\`, \`Class.method\`: what happens`. */
const HOP = /^\d+\. `([^`]+)` ((?:`[^`]+`(?:, )?)+):/

function hops(): Hop[] {
  let flow = ''
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('#')) flow = line.replace(/^#+ /, '')
    if (!/^\d+\. /.test(line)) return []
    const [, path = '', names = ''] = HOP.exec(line) ?? []
    if (path === '') throw new Error(`This line of ${page} is no hop: ${line}`)
    return [
      { flow, path: pathOf(path), names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) },
    ]
  })
}

/** Files of core are given from its `src`, those of other packages with their package. */
const pathOf = (file: string): string =>
  /^[\w-]+\/src\//.test(file) ? `packages/${file}` : `packages/core/src/${file}`

const files = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => pathOf(file))

/** The rooms of the tree on the page: the lines of its first code block that end with a slash. */
function roomsOnPage(): string[] {
  const [, tree = ''] = /```\n([\s\S]*?)```/.exec(text) ?? []
  return tree.split('\n').flatMap((line) => /^(\S+)\/(?:\s|$)/.exec(line)?.[1] ?? [])
}

describe('the map of the code', () => {
  it('names files that exist', () => {
    expect(files.length).toBeGreaterThan(30)
    expect(files.filter((path) => !existsSync(root + path))).toEqual([])
  })

  it.each(hops())('names what $path declares, in $flow', ({ path, names }) => {
    const declared = namesDeclared(parseSource(path, readFileSync(root + path, 'utf8')))
    expect(names.filter((name) => !declared.has(name))).toEqual([])
  })

  it('walks the five flows, and a tools/call in a session in nine files at most', () => {
    const flows = new Map<string, Set<string>>()
    for (const { flow, path } of hops()) flows.set(flow, (flows.get(flow) ?? new Set()).add(path))
    expect(flows.size).toBeGreaterThanOrEqual(5)
    expect([...flows.values()][0]?.size).toBeLessThanOrEqual(9)
  })

  it('draws every room of core', () => {
    const rooms = readdirSync(`${root}packages/core/src`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
    expect(roomsOnPage().toSorted()).toEqual(rooms.toSorted())
  })

  it('gives the import order that the architecture test holds', () => {
    const order = layers.map((layer) => layer.join(', ')).join(' → ')
    expect(text).toContain(`${order} → entries`)
  })
})
