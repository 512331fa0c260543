import { http } from '@jetway/client/http'
import { describe, expect, it } from 'vitest'
import { checkServerOffers } from '../../src/doctor/offers/server-offers.ts'
import { insteadOf, jetway, problems, scripted, type Scripted, serve } from './support/remote.ts'

const tool = (name: string, inputSchema: object = { type: 'object' }, description = 'Does it'): object => ({
  name,
  description,
  inputSchema,
})
const many = (count: number, description?: string): readonly object[] =>
  Array.from({ length: count }, (_, n) => tool(`tool_${n}`, undefined, description))
const property = (schema: object): object => ({ type: 'object', properties: { a: schema } })

const check = async (listener: Parameters<typeof serve>[0], serverName?: string) =>
  checkServerOffers({
    target: http(`${await serve(listener)}/mcp`),
    ...(serverName !== undefined && { serverName }),
  })

describe('checkServerOffers', () => {
  it('finds no faults in the lists of a healthy server', async () => {
    const findings = await check(jetway())
    expect(problems(findings)).toEqual([])
    expect(findings.map((each) => each.check)).toEqual([
      'tool-names',
      'duplicate-names',
      'tool-descriptions',
      'tool-schemas',
      'tool-count',
      'list-size',
    ])
  })

  it.each([
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: {} }],
    [{ type: 'object', additionalProperties: false }],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }],
    [property({ type: 'object', default: { $ref: 'https://a.example/b.json' } })],
    [property({ anyOf: [{ type: 'string' }, { type: 'null' }] })],
  ])('accepts the schema %j', async (schema) => {
    expect(problems(await check(scripted({ tools: [tool('a', schema)] })))).toEqual([])
  })

  it.each<readonly [string, Scripted, check: string, verdict: string, evidence: string]>([
    ['a name with a dot', { tools: [tool('get.weather')] }, 'tool-names', 'fault', '"get.weather"'],
    ['a name that is too long', { tools: [tool('a'.repeat(65))] }, 'tool-names', 'fault', 'aaa'],
    [
      'a name that is too long with the prefix',
      { tools: [tool('a'.repeat(60))] },
      'tool-names',
      'warning',
      'mcp__scripted__aaa',
    ],
    ['a tool that occurs twice', { tools: [tool('a'), tool('a')] }, 'duplicate-names', 'fault', 'tool a'],
    [
      'a prompt that occurs twice',
      { prompts: [{ name: 'p' }, { name: 'p' }] },
      'duplicate-names',
      'fault',
      'prompt p',
    ],
    [
      'names that differ only in case',
      { tools: [tool('getUser'), tool('getuser')] },
      'duplicate-names',
      'warning',
      'getUser and getuser',
    ],
    [
      'a tool without a description',
      { tools: [tool('mute', undefined, ' ')] },
      'tool-descriptions',
      'warning',
      'mute has no description',
    ],
    ['a root that is not an object', { tools: [tool('t', {})] }, 'tool-schemas', 'fault', 't: the root'],
    [
      'anyOf at the root',
      { tools: [tool('t', { type: 'object', anyOf: [{}] })] },
      'tool-schemas',
      'fault',
      'has anyOf',
    ],
    [
      'a reference to another document',
      { tools: [tool('t', property({ $ref: 'https://a.example/b.json' }))] },
      'tool-schemas',
      'fault',
      't (https://a.example/b.json)',
    ],
    [
      'an invalid type',
      { tools: [tool('t', property({ type: 'int' }))] },
      'tool-schemas',
      'warning',
      't (/properties/a/type)',
    ],
    [
      'an argument whose name contains a space',
      { tools: [tool('t', { type: 'object', properties: { 'a b': {} } })] },
      'tool-schemas',
      'warning',
      't (/properties/a b)',
    ],
    [
      'an array without items',
      { tools: [tool('t', property({ type: 'array' }))] },
      'tool-schemas',
      'warning',
      't (/properties/a/items)',
    ],
    [
      'a dangling reference',
      { tools: [tool('t', property({ $ref: '#/$defs/none' }))] },
      'tool-schemas',
      'warning',
      't (/properties/a/$ref)',
    ],
    ['41 tools', { tools: many(41) }, 'tool-count', 'warning', '41 tools'],
    ['129 tools', { tools: many(129) }, 'tool-count', 'fault', '129 tools'],
    ['long descriptions', { tools: many(40, 'x'.repeat(2_100)) }, 'list-size', 'warning', 'about 2'],
    [
      'the largest of several tools',
      { tools: [tool('a'), tool('b', undefined, 'x'.repeat(90_000)), tool('c')] },
      'list-size',
      'warning',
      'the tools take about 22549 tokens, b about 22515 of them',
    ],
    ['a tool without a schema', { tools: [{ name: 't' }] }, 'lists', 'fault', '1 malformed entries'],
  ])('reports %s', async (_, broken, name, verdict, evidence) => {
    expect(problems(await check(scripted(broken)))).toEqual([
      { check: name, verdict, evidence: expect.stringContaining(evidence), advice: expect.any(String) },
    ])
  })

  it('skips a server that requires a token for its lists', async () => {
    const findings = await check(insteadOf('tools/list', (_, response) => response.writeHead(401).end()))
    expect(findings).toEqual([
      { check: 'lists', verdict: 'skipped', evidence: expect.stringContaining('--bearer-env') },
    ])
  })

  it("includes the host's name for the server in tool names", async () => {
    const server = scripted({ tools: [tool('a'.repeat(40))] })
    expect(problems(await check(server))).toEqual([])
    expect(problems(await check(server, 'a-server-with-a-long-name'))).toMatchObject([
      { check: 'tool-names', evidence: expect.stringContaining('72 characters') },
    ])
  })
})
