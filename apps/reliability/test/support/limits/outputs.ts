import { connected } from './client.ts'
import { failureOf, type Limit, list } from './row.ts'

/** Calls a tool with an invalid result. The client does not check a schema or a value that is too costly. */
async function mismatching(outputSchema: object, structuredContent: object): Promise<unknown> {
  const tool = { name: 'a', inputSchema: { type: 'object' }, outputSchema }
  const { client } = await connected({
    'tools/list': { tools: [tool] },
    'tools/call': { content: [], structuredContent },
  })
  await client.listTools()
  return failureOf(() => client.callTool('a'))
}

/** Returns how often an unusable schema is reported if it appears again as the last of `count`. */
async function kept(count: number): Promise<unknown> {
  const schemas = [{ $ref: 'https://a.example/b' }, ...list(count - 1, (i) => ({ title: String(i) }))]
  const tools = schemas.map((outputSchema, i) => ({
    name: `t${i}`,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', ...outputSchema },
  }))
  const { client } = await connected({
    'tools/list': { tools },
    'tools/call': { content: [], structuredContent: {} },
  })
  let reports = 0
  client.on('error', () => void reports++)
  await client.listTools()
  for (const { name } of [...tools, ...tools.slice(0, 1)]) await client.callTool(name)
  return reports
}

const NEEDS_X = { type: 'object', required: ['x'] }
const nested = (levels: number): object => {
  let value = {}
  for (let i = 0; i < levels; i++) value = { a: value }
  return value
}
const withText = (a: object): object => ({ type: 'object', properties: { a } })

const CHECKED = { accepted: { code: 'output-mismatch' }, refused: 'done' }

/** Limits of checking results: a server's schemas may be costly by intent. */
export const OUTPUTS: readonly Limit[] = [
  { limit: 'schemas that a client keeps', most: 200, use: kept, accepted: 1, refused: 2 },
  {
    limit: 'levels of an outputSchema',
    most: 64,
    use: (levels) => mismatching({ ...NEEDS_X, default: nested(levels - 1) }, {}),
    ...CHECKED,
  },
  {
    limit: 'parts of an outputSchema',
    most: 4_000,
    use: (parts) => mismatching({ ...NEEDS_X, default: list(parts - 1, () => ({})) }, {}),
    ...CHECKED,
  },
  {
    limit: 'characters of a pattern in an outputSchema',
    most: 1_024,
    use: (length) => mismatching(withText({ pattern: 'x'.repeat(length) }), { a: 'y' }),
    ...CHECKED,
  },
  {
    limit: 'levels of a pattern in an outputSchema',
    most: 32,
    use: (levels) =>
      mismatching(withText({ pattern: `${'('.repeat(levels - 1)}x${')'.repeat(levels - 1)}` }), { a: 'y' }),
    ...CHECKED,
  },
  {
    limit: 'characters of a text that a pattern of an outputSchema checks',
    most: 65_536,
    use: (length) => mismatching(withText({ pattern: '^x' }), { a: 'y'.repeat(length) }),
    ...CHECKED,
  },
  {
    limit: 'items of a list that an outputSchema wants to be unique',
    most: 1_000,
    use: (count) =>
      mismatching(withText({ uniqueItems: true }), { a: [0, ...list(count - 1, String), '0'].slice(-count) }),
    ...CHECKED,
  },
  {
    limit: 'levels of a result that an outputSchema checks',
    most: 128,
    use: (levels) => mismatching(NEEDS_X, nested(levels - 1)),
    ...CHECKED,
  },
]
