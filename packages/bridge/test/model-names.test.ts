import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelNames, shortened } from '../src/model-names.ts'

const VALID = /^[a-zA-Z0-9_-]{1,64}$/
const of = (...names: readonly string[]): { name: string; server: string }[] =>
  names.map((name) => ({ name, server: 's' }))

describe('modelNames', () => {
  it("returns the tools' own names if the APIs accept those names", async () => {
    const names = ['get_order', 'mcp__a__b', 'x'.repeat(64), 'A-1']
    expect(await modelNames(of(...names))).toEqual(names)
  })

  it('returns unique names for tools whose names the APIs reject', async () => {
    const names = await modelNames(
      of('files/read', 'files.read', 'größe', '', 'x'.repeat(65), 'x'.repeat(66)),
    )
    expect(new Set(names).size).toBe(6)
    for (const name of names) expect(name).toMatch(VALID)
    expect(names[0]).toMatch(/^files_read_[0-9a-f]{8}$/)
    expect(names[4]).toMatch(/^x{55}_[0-9a-f]{8}$/)
  })

  it('returns different names if two servers have tools with the same name', async () => {
    const names = await modelNames([
      { name: 'search', server: 'one' },
      { name: 'search', server: 'two' },
    ])
    expect(names[0]).not.toBe(names[1])
    for (const name of names) expect(name).toMatch(/^search_[0-9a-f]{8}$/)
  })

  it('does not let a tool take the name generated for another tool', async () => {
    const [taken = ''] = await modelNames(of('files/read'))
    const [victim, thief] = await modelNames([
      { name: 'files/read', server: 's' },
      { name: taken, server: 'thief' },
    ])
    expect(victim).toBe(taken)
    expect(thief).not.toBe(taken)
    expect(thief).toMatch(VALID)
  })

  it('returns no name for a tool if other tools have deliberately taken all its candidate names', async () => {
    const chain = of('files/read')
    for (let last = chain[0]; last !== undefined && chain.length < 12; last = chain.at(-1)) {
      const [next = ''] = await modelNames([last, { ...last, server: 'other' }])
      chain.push({ name: next, server: 's' })
    }
    const names = await modelNames(chain)
    const given = names.filter((name) => name !== undefined)
    expect(given.length).toBeLessThan(chain.length)
    expect(new Set(given).size).toBe(given.length)
    expect(names[0]).toBe(chain[1]?.name)
  })

  it('throws a TypeError if a tool appears twice', async () => {
    await expect(modelNames(of('a', 'a'))).rejects.toThrow('appears twice')
  })

  it('returns valid, unique names for random tools, regardless of their order', async () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 70 }), fc.constantFrom('a', 'a/b', 'a.b'))
    const tools = fc.uniqueArray(fc.record({ name, server: fc.constantFrom('s', 't') }), {
      selector: (tool) => JSON.stringify([tool.name, tool.server]),
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(tools, async (all) => {
        const names = await modelNames(all)
        expect(new Set(names).size).toBe(all.length)
        for (const each of names) expect(each).toMatch(VALID)
        expect(await modelNames(all.toReversed())).toEqual(names.toReversed())
      }),
      { numRuns: 30 },
    )
  })
})

describe('tool descriptions', () => {
  it("are truncated before the server's name, which remains at the end", () => {
    expect(shortened(`${'x'.repeat(50)} (MCP server: shop)`, 40)).toBe(
      `${'x'.repeat(20)}… (MCP server: shop)`,
    )
    expect(shortened('short', 40)).toBe('short')
    expect(shortened('short', 5)).toBe('short')
    expect(shortened('short', 4)).toBe('sho…')
    expect(shortened('long (MCP server: shop)', 3)).toBe('… (MCP server: shop)')
    expect(shortened('🙂'.repeat(10), 6)).toBe('🙂🙂…')
  })
})
