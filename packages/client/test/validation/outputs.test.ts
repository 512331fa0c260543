import { slowness } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { OutputMismatchError } from '../../src/errors.ts'
import { Method } from '../support/dates.ts'
import { type Script, scripted, sessions, listener } from '../support/scripted.ts'

const forecastOf = (outputSchema: unknown, result: object): Script => ({
  ...sessions(),
  [Method.ListTools]: { tools: [{ name: 'forecast', inputSchema: { type: 'object' }, outputSchema }] },
  [Method.CallTool]: { content: [], ...result },
})
const SCHEMA = { type: 'object', properties: { high: { type: 'number' } }, required: ['high'] }

/** Returns the CPU time, scaled to the machine that the limits were set on, so that tests pass on a busy machine. */
function msSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000 / slowness().cpu
}

describe('callTool with a structured result', () => {
  it('returns the result if it matches the schema', async () => {
    const { client } = await scripted(forecastOf(SCHEMA, { structuredContent: { high: 3 } }))
    await client.listTools()
    expect(await client.callTool('forecast')).toMatchObject({ structuredContent: { high: 3 } })
  })

  it('rejects with the problem and the result if the result does not match the schema', async () => {
    const { client } = await scripted(forecastOf(SCHEMA, { structuredContent: { high: 'x' } }))
    await client.listTools()
    const failure = await client.callTool('forecast').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OutputMismatchError)
    expect(failure).toMatchObject({
      code: 'output-mismatch',
      tool: 'forecast',
      message: expect.stringContaining('high'),
      result: { structuredContent: { high: 'x' } },
    })
  })

  it.each([
    ['from a failed call', {}, { isError: true, structuredContent: { high: 'x' } }],
    ['with validateOutput: false', { validateOutput: false }, { structuredContent: { high: 'x' } }],
    ['without structuredContent', {}, {}],
  ])('does not validate a result %s', async (_, options, result) => {
    const { client } = await scripted(forecastOf(SCHEMA, result), options)
    await client.listTools()
    expect(await client.callTool('forecast')).toMatchObject(result)
  })

  it('returns the result of an unlisted tool without validating it', async () => {
    const { client } = await scripted(forecastOf(SCHEMA, { structuredContent: { high: 'x' } }))
    expect(await client.callTool('forecast')).toMatchObject({ structuredContent: { high: 'x' } })
  })
})

describe('callTool with an outputSchema', () => {
  const chain = (levels: number): object => ({
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, i) => [
        `d${i}`,
        i === levels - 1
          ? { type: 'object', required: ['never'] }
          : { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    ),
    $ref: '#/$defs/d0',
  })
  const references = (length: number): object => ({
    $defs: Object.fromEntries(
      Array.from({ length }, (_, i) => [
        `d${i}`,
        i === length - 1 ? { required: ['never'] } : { $ref: `#/$defs/d${i + 1}` },
      ]),
    ),
    $ref: '#/$defs/d0',
  })
  const deep = (levels: number, end: object = {}): object =>
    levels === 0 ? { type: 'object', ...end } : { type: 'object', properties: { a: deep(levels - 1, end) } }
  const parts = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at}`, {}]))

  it.each([
    ['is nested 64 deep', { ...deep(32), required: ['never'] }],
    ['is nested 64 deep in lists', { allOf: [deep(31)], required: ['never'] }],
    ['has 4,000 subschemas', { $defs: parts(3_998), required: ['never'] }],
    ['has a chain of 1,100 references', references(1_100)],
  ])('enforces a schema that %s', async (_, schema) => {
    const { client } = await scripted(forecastOf(schema, { structuredContent: { high: 'x' } }))
    const errors = listener(client, 'error')
    await client.listTools()
    await expect(client.callTool('forecast')).rejects.toThrow(OutputMismatchError)
    expect(errors).not.toHaveBeenCalled()
  })

  it.each([
    ['refers to the network', { $ref: 'http://127.0.0.1:9/schema.json' }],
    ['refers to a file', { $ref: 'file:///etc/passwd' }],
    ['refers to nothing', { $ref: '#/$defs/nothing' }],
    ['refers to itself', { $ref: '#' }],
    ['is of an unknown dialect', { $schema: 'https://example.com/my-dialect' }],
    ['is invalid', { type: 'everything' }],
    ['doubles its work at each of 25 levels', chain(25)],
    ['is nested 400 deep', deep(400)],
    ['is nested 65 deep', deep(32, { items: {} })],
    ['is nested 65 deep in lists', { allOf: [deep(31, { items: {} })] }],
    ['has 4,001 subschemas', { $defs: parts(3_999) }],
  ])('ignores a schema that %s, and reports it once', async (_, schema) => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const { client } = await scripted(forecastOf(schema, { structuredContent: { high: 'x' } }))
    const errors = listener(client, 'error')
    for (let i = 0; i < 3; i++) {
      // A list that is fetched again has the same schemas, which are not compiled again.
      expect(await client.listTools()).toHaveLength(1)
      expect(await client.callTool('forecast')).toMatchObject({ structuredContent: { high: 'x' } })
    }
    expect(errors).toHaveBeenCalledTimes(1)
    expect(errors.mock.calls[0]?.[0].message).toContain('The outputSchema of the tool forecast is not used')
    expect(fetched).not.toHaveBeenCalled()
    fetched.mockRestore()
  })

  it('compiles two schemas with the same $id separately', async () => {
    const $id = 'https://example.com/same'
    const { client } = await scripted({
      ...sessions(),
      [Method.ListTools]: {
        tools: [
          { name: 'one', inputSchema: { type: 'object' }, outputSchema: { $id, type: 'object' } },
          { name: 'two', inputSchema: { type: 'object' }, outputSchema: { ...SCHEMA, $id } },
        ],
      },
      [Method.CallTool]: { content: [], structuredContent: {} },
    })
    await client.listTools()
    expect(await client.callTool('one')).toMatchObject({ structuredContent: {} })
    await expect(client.callTool('two')).rejects.toThrow(OutputMismatchError)
  })

  it.each([
    ['^(a+)+$', 'a'.repeat(40)],
    ['^(a|aa)+$', 'a'.repeat(60)],
    ['^(?:[a-z]+)*$', 'a'.repeat(40)],
    ['^a*a*a*a*a*a*a*a*$', 'a'.repeat(5_000)],
    ['(x+x+)+y', 'x'.repeat(40)],
    ['^(?=(a+)+$)b', 'a'.repeat(40)],
    [String.raw`^(a+)\1+$`, 'a'.repeat(5_000)],
    [`${'a?'.repeat(30)}b`, 'a'.repeat(4_000)],
    [`${'a{0,16}'.repeat(8)}b`, 'a'.repeat(4_000)],
    [`${'(?:a|a)'.repeat(30)}b`, 'a'.repeat(4_000)],
    ['^(?:a?){30}b', 'a'.repeat(4_000)],
    ['^(?:(?:a|a){6}){6}b', 'a'.repeat(4_000)],
    [`^(?:a|a){1,${'9'.repeat(40)}}b`, 'a'.repeat(4_000)],
    [`^(?:a|a){1,${'9'.repeat(400)}}b`, 'a'.repeat(4_000)],
    [`^(?:a|a){${'0'.repeat(40)}30}b`, 'a'.repeat(4_000)],
    [String.raw`^\p{(?:a|a)*}$`, `p{${'a'.repeat(4_000)}`],
    ['a*b', 'a'.repeat(200_000)],
    ['[ab]*[ac]*d', 'a'.repeat(20_000)],
  ])('matches the pattern %s against any value at low cost', async (pattern, text) => {
    const value = { type: 'string', pattern }
    const schemas: readonly (readonly [object, unknown])[] = [
      [{ properties: { text: value } }, { text: `${text}!` }],
      [{ properties: { list: { type: 'array', items: value } } }, { list: Array(50).fill(`${text}!`) }],
      [{ propertyNames: { pattern } }, { [`${text}!`]: 1 }],
      [{ patternProperties: { [pattern]: { type: 'string' } } }, { [`${text}!`]: 'x' }],
      [{ properties: { text: { not: value } } }, { text: `${text}!` }],
    ]
    for (const [schema, structuredContent] of schemas) {
      const given = { type: 'object', ...schema }
      const { client } = await scripted(forecastOf(given, { structuredContent }))
      client.on('error', () => {})
      await client.listTools()
      await client.callTool('forecast').catch(() => {})
      const start = process.cpuUsage()
      await client.callTool('forecast').catch(() => {})
      expect(msSince(start)).toBeLessThan(300)
    }
  })

  it.each([
    ['in not', { properties: { text: { not: { pattern: '^(a+)+$' } } } }],
    ['in oneOf', { properties: { text: { oneOf: [{ pattern: '^(a+)+$' }, { type: 'string' }] } } }],
    ['in if', { properties: { text: { if: { not: { pattern: '^(a+)+$' } }, else: false } } }],
    ['in patternProperties', { patternProperties: { '^(t?e?x?t?)+$': {} }, additionalProperties: false }],
  ])('accepts valid values with the ambiguous pattern %s', async (_, schema) => {
    const answer = { structuredContent: { text: 'b' } }
    const { client } = await scripted(forecastOf({ type: 'object', ...schema }, answer))
    const errors = listener(client, 'error')
    await client.listTools()
    expect(await client.callTool('forecast')).toMatchObject(answer)
    expect(errors).not.toHaveBeenCalled()
  })

  it.each([
    ['^[A-Z]{2}-\\d+$', 'DE-42', 'DE-x'],
    ['^(red|green)$', 'red', 'blue'],
    ['^(a+)+$', 'aaa', 'aab'],
    ['^[a-z]+(?:-[a-z]+)*$', 'a-slug', 'a--slug'],
    ['^(?=.*[0-9])[a-z0-9]+$', 'a1', 'ab'],
    [String.raw`^[^@\s]+@[^@\s]+\.[a-z]{2,8}$`, 'ann@example.com', 'ann at example'],
    [String.raw`^\p{Lu}[\p{L}\]]*\u{21}?$`, 'Ölé]!', 'ölé'],
    [String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[\w.-]+)?$`, '1.20.3-rc.1', '1.02.3'],
  ])('enforces the pattern %s', async (pattern, right, wrong) => {
    const schema = { type: 'object', properties: { text: { type: 'string', pattern } } }
    for (const [text, holds] of [
      [right, true],
      [wrong, false],
    ] as const) {
      const { client } = await scripted(forecastOf(schema, { structuredContent: { text } }))
      await client.listTools()
      const call = client.callTool('forecast')
      if (holds) expect(await call).toMatchObject({ structuredContent: { text } })
      else await expect(call).rejects.toThrow(OutputMismatchError)
    }
  })

  it('stops using a schema whose validation takes too many steps, and reports it once', async () => {
    const numbers = { items: { type: 'number' } }
    const schema = {
      type: 'object',
      properties: { list: { allOf: Array.from({ length: 20 }, () => numbers) } },
    }
    const long = Array.from({ length: 60_000 }, () => 1)
    const results = [['x'], long, long, ['x']].map((list) => ({ content: [], structuredContent: { list } }))
    const { client } = await scripted({
      ...forecastOf(schema, {}),
      [Method.CallTool]: () => results.shift()!,
    })
    const errors = listener(client, 'error')
    await client.listTools()
    await expect(client.callTool('forecast')).rejects.toThrow(OutputMismatchError)
    for (let i = 0; i < 3; i++) expect(await client.callTool('forecast')).toHaveProperty('structuredContent')
    expect(errors.mock.calls.map(([{ message }]) => message)).toEqual([
      'The outputSchema of the tool forecast is not used: it takes more than 400000 steps',
    ])
  })

  it.each<[string, object, unknown]>([
    ['3,000 constants', { items: { oneOf: Array.from({ length: 3_000 }, (_, i) => ({ const: i })) } }, [-1]],
    [
      '3,000 patterns for 3,000 members',
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 3_000 }, (_, i) => [`^k${i}$`, { type: 'number' }]),
        ),
      },
      Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, i])),
    ],
    [
      '1,900 patterns',
      { allOf: Array.from({ length: 1_900 }, (_, i) => ({ pattern: `^x*y{${i}}z?$` })) },
      'x'.repeat(10_000),
    ],
  ])('validates %s at low cost', async (_, schema, value) => {
    const output = { type: 'object', properties: { value: schema } }
    const { client } = await scripted(forecastOf(output, { structuredContent: { value } }))
    client.on('error', () => {})
    await client.listTools()
    await client.callTool('forecast').catch(() => {})
    const start = process.cpuUsage()
    await client.callTool('forecast').catch(() => {})
    expect(msSince(start)).toBeLessThan(300)
  })

  it('enforces a recursive schema at any depth', async () => {
    const schema = {
      type: 'object',
      properties: { value: { type: 'number' }, left: { $ref: '#' }, right: { $ref: '#' } },
      required: ['value'],
    }
    const tree = (depth: number): object =>
      depth === 0 ? { value: 'x' } : { value: depth, left: { value: 0 }, right: tree(depth - 1) }
    const { client } = await scripted(forecastOf(schema, { structuredContent: tree(60) }))
    await client.listTools()
    await expect(client.callTool('forecast')).rejects.toThrow(OutputMismatchError)
  })

  it('stops validating if the cost doubles with each level of nesting', async () => {
    const either = { anyOf: [{ $ref: '#/$defs/node' }, { $ref: '#/$defs/node' }] }
    const schema = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: either }, required: ['end'] } },
    }
    const nested = (depth: number): object => (depth === 0 ? {} : { next: nested(depth - 1), end: 1 })
    const { client } = await scripted(forecastOf(schema, { structuredContent: nested(60) }))
    await client.listTools()
    const start = process.cpuUsage()
    expect(await client.callTool('forecast')).toHaveProperty('structuredContent')
    expect(msSince(start)).toBeLessThan(400)
  })

  it('enforces uniqueItems in a list of 10,000 items', async () => {
    const schema = { type: 'object', properties: { list: { type: 'array', uniqueItems: true } } }
    const list = Array.from({ length: 10_000 }, () => ({ i: { of: 'the same' } }))
    const { client } = await scripted(forecastOf(schema, { structuredContent: { list } }))
    await client.listTools()
    await expect(client.callTool('forecast')).rejects.toThrow(OutputMismatchError)
  })

  it('enforces items in lists of any length', async () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } } }
    const list = [...Array.from({ length: 2_000 }, () => 1), 'x']
    const { client } = await scripted(forecastOf(schema, { structuredContent: { list } }))
    await client.listTools()
    await expect(client.callTool('forecast')).rejects.toThrow(OutputMismatchError)
  })
})
