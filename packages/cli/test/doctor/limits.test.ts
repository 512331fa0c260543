/** The limits of the checks for a server's lists. */
import type { Tool } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { checkOffers } from '../../src/doctor/offers/offers.ts'
import { checkSize } from '../../src/doctor/offers/size.ts'
import type { Offers } from '../../src/list/offers.ts'

const tool = (name: string, inputSchema: object = {}, description = 'Does it'): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', ...inputSchema },
})

async function found(check: string, offers: Partial<Offers>, serverName?: string) {
  const all = { tools: [], resources: [], resourceTemplates: [], prompts: [], ...offers }
  const findings = await checkOffers({ offers: all, serverName })
  return findings.filter((finding) => finding.check === check)
}

const NAMES = 'Rename them: model APIs accept a-z, A-Z, 0-9, _ and -, at most 64 of them'

describe('names and descriptions of tools', () => {
  it.each<readonly [readonly string[], serverName: string | undefined, verdict: string, evidence: string]>([
    [[], undefined, 'ok', '0 names'],
    [['a', 'B_9-'], 's', 'ok', '2 names'],
    [['a'.repeat(57)], undefined, 'ok', '1 name'],
    [['a'.repeat(58)], undefined, 'warning', `mcp____${'a'.repeat(58)}: 65 characters with the prefix`],
    [['a'.repeat(54)], 'srv', 'ok', '1 name'],
    [['a', 'b'.repeat(56), 'c'.repeat(55)], 'srv', 'warning', ': 66 characters with the prefix of Claude'],
    [['a', '', 'é', 'b'.repeat(65)], 's', 'fault', `"", "é", "${'b'.repeat(65)}"`],
  ])(
    'are checked, including the prefix of the names: %j on server %s',
    async (names, serverName, verdict, evidence) => {
      const [finding] = await found('tool-names', { tools: names.map((name) => tool(name)) }, serverName)
      expect(finding).toMatchObject({ verdict, evidence: expect.stringContaining(evidence) })
      if (verdict === 'fault') expect(finding?.advice).toBe(NAMES)
    },
  )

  it.each<readonly [Partial<Offers>, verdict: string, evidence: string]>([
    [{ tools: [tool('a'), tool('a'), tool('a')] }, 'fault', 'twice in a list: tool a'],
    [{ prompts: [{ name: 'p' }, { name: 'p' }, { name: 'q' }] }, 'fault', 'twice in a list: prompt p'],
    [
      { resources: ['a:b', 'a:b', 'a:c'].map((uri) => ({ uri, name: 'n' })) },
      'fault',
      'twice in a list: resource a:b',
    ],
    [{ tools: [tool('a'), tool('A'), tool('b')] }, 'warning', 'a and A: they differ only in case'],
    [{ tools: [tool('a'), tool('a'), tool('A')] }, 'fault', 'twice in a list: tool a'],
    [{ tools: [tool('a')], prompts: [{ name: 'a' }], resources: [{ uri: 'a', name: 'a' }] }, 'ok', 'none'],
  ])('must not repeat a name within a list: %j', async (offers, verdict, evidence) => {
    expect(await found('duplicate-names', offers)).toMatchObject([{ verdict, evidence }])
  })

  it.each<readonly [Partial<Offers>, string, string]>([
    [{ tools: [tool('a'), tool('b')] }, 'ok', '2 tools have one'],
    [{ tools: [tool('a', {}, '\n'), tool('b')] }, 'warning', 'a has no description'],
    [
      { tools: [tool('a', {}, ''), { name: 'b', inputSchema: { type: 'object' } }] },
      'warning',
      'a, b have no description',
    ],
  ])('must include a description for each tool: %j', async (offers, verdict, evidence) => {
    expect(await found('tool-descriptions', offers)).toMatchObject([{ verdict, evidence }])
  })
})

describe('tool schemas', () => {
  const deep = (levels: number): object => {
    let schema: object = { $ref: 'https://h/a.json' }
    for (let level = 0; level < levels; level++) schema = { properties: { a: schema } }
    return schema
  }
  const REMOTE = 't (https://h/a.json): inputSchema has a $ref to another document'

  it.each<readonly [object, verdict: string, evidence: string]>([
    [{}, 'ok', '1 schemas'],
    [{ type: ['object'] }, 'fault', 't: the root of inputSchema has not the type "object"'],
    [{ oneOf: [] }, 'fault', 't: the root of inputSchema has oneOf'],
    [{ allOf: [{}] }, 'fault', 't: the root of inputSchema has allOf'],
    [{ $defs: { a: [{ $ref: 'https://h/a.json' }] } }, 'fault', REMOTE],
    [deep(32), 'fault', REMOTE],
    [{ properties: { a: { const: { $ref: 'https://h/a.json' } } } }, 'ok', '1 schemas'],
    [{ properties: { a: { enum: [{ $ref: 'https://h/a.json' }] } } }, 'ok', '1 schemas'],
    [{ properties: { $ref: { type: 'string' } } }, 'warning', 't (/properties/$ref)'],
    [
      { properties: { a: { items: [{ type: 'string' }], type: 'array' } } },
      'warning',
      'Some model APIs refuse t (/properties/a/',
    ],
  ])('are checked for faults: %j', async (schema, verdict, evidence) => {
    expect(await found('tool-schemas', { tools: [tool('t', schema)] })).toMatchObject([
      { verdict, evidence: expect.stringContaining(evidence) },
    ])
  })

  it('produce one finding per kind of fault', async () => {
    const tools = [tool('a', { anyOf: [], oneOf: [] }), tool('b', { anyOf: [] })]
    const faults = await found('tool-schemas', { tools })
    expect(faults.map(({ evidence }) => evidence)).toEqual([
      'a, b: the root of inputSchema has anyOf',
      'a: the root of inputSchema has oneOf',
    ])
  })
})

describe('the size of the tool list', () => {
  const many = (count: number): readonly Tool[] => Array.from({ length: count }, (_, n) => tool(`t${n}`))
  /** Returns a tool of the given size in bytes. */
  const sized = (bytes: number): Tool => {
    const empty = tool('big', {}, '')
    return tool('big', {}, 'x'.repeat(bytes - JSON.stringify(empty).length))
  }

  it.each([
    [0, 'ok', '0 tools'],
    [40, 'ok', '40 tools'],
    [41, 'warning', '41 tools: some hosts warn about more than 40'],
    [128, 'warning', '128 tools: some hosts warn about more than 40'],
    [129, 'fault', '129 tools: hosts send at most 128'],
  ])('is rated for %i tools', (count, verdict, evidence) => {
    expect(checkSize(many(count))[0]).toMatchObject({ check: 'tool-count', verdict, evidence })
  })

  it.each([
    [80_001, 'ok', 'the tools take about 20000 tokens'],
    [80_002, 'warning', 'the tools take about 20001 tokens, big about 20001 of them'],
  ])('is rated for one tool of %i bytes', (bytes, verdict, evidence) => {
    expect(checkSize([sized(bytes)])[1]).toMatchObject({ check: 'list-size', verdict, evidence })
  })

  it('is reported with the name of the largest tool', () => {
    const { evidence } = checkSize([tool('a'), sized(80_000), tool('b', {}, 'x'.repeat(400))])[1] ?? {}
    expect(evidence).toMatch(/^the tools take about 20\d\d\d tokens, big about 20000 of them$/)
  })
})
