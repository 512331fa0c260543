import { connected } from './client.ts'
import { failureOf, type Limit, list } from './row.ts'

/** Calls a tool with an invalid result. The client does not validate if a schema or value is too costly. */
async function mismatching(outputSchema: object, structuredContent: object): Promise<unknown> {
  const tool = { name: 'a', inputSchema: { type: 'object' }, outputSchema }
  const { client } = await connected({
    'tools/list': { tools: [tool] },
    'tools/call': { content: [], structuredContent },
  })
  await client.listTools()
  return failureOf(() => client.callTool('a'))
}

/**
 * Returns how often the first of `count` schemas, which is unusable, is reported if it is used again after
 * the others.
 */
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
const checkedOften = (times: number): object => ({
  type: 'object',
  properties: { a: { allOf: list(times, () => ({ items: { type: 'number' } })) }, b: { const: 1 } },
})

const CHECKED = { accepted: { code: 'output-mismatch' }, refused: 'done' }

/** Limits on validating results, because a server's schemas may be costly on purpose. */
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
    limit: 'items of a list that an outputSchema checks a hundred times',
    most: 3_998,
    // This validation takes 400,000 steps.
    use: (count) => mismatching(checkedOften(100), { a: list(count, () => 1), b: 2 }),
    ...CHECKED,
  },
]
