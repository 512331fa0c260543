import { describe, expect, it } from 'vitest'
import { compareLists, type Lists, ProcessEnded, readLists } from '../../../src/dev/conversation/lists.ts'

type Answers = Readonly<Record<string, object | undefined>>

const listsOf = (answers: Answers): Promise<Lists> =>
  readLists((method, { cursor }) => {
    const answer = answers[cursor === undefined ? method : `${method} ${cursor as string}`]
    return answer === undefined ? Promise.reject(new Error('-32601')) : Promise.resolve({ ...answer })
  })

const tools = (...items: readonly object[]): Answers => ({ 'tools/list': { tools: items } })

describe('compareLists', () => {
  it.each<[string, Answers, Answers, readonly string[], readonly string[]]>([
    ['equal lists', tools({ name: 'a' }), tools({ name: 'a' }), [], []],
    [
      'tools',
      tools({ name: 'pay' }, { name: 'search', inputSchema: { type: 'object' } }),
      tools({ name: 'search', inputSchema: { type: 'object', required: [] } }, { name: 'refund' }),
      ['tools: +refund -pay ~search(inputSchema)'],
      ['tools'],
    ],
    [
      'templates',
      {},
      { 'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}' }] } },
      ['resourceTemplates: +a:{b}'],
      ['resources'],
    ],
    [
      'several members',
      { 'resources/list': { resources: [{ uri: 'a', name: '1' }] } },
      { 'resources/list': { resources: [{ uri: 'a', name: '2', title: 't' }] } },
      ['resources: ~a(name, title)'],
      ['resources'],
    ],
    [
      'a result without a list, and invalid items',
      { 'tools/list': { tools: { name: 'a' } } },
      tools('b' as never, { name: 'c' }),
      ['tools: +c'],
      ['tools'],
    ],
    [
      'a second page',
      { 'prompts/list': { prompts: [], nextCursor: '2' }, 'prompts/list 2': { prompts: [{ name: 'a' }] } },
      { 'prompts/list': { prompts: [] } },
      ['prompts: -a'],
      ['prompts'],
    ],
  ])('compares %s', async (_, before, after, lines, kinds) => {
    const changes = compareLists(await listsOf(before), await listsOf(after))
    expect(changes.lines).toEqual(lines)
    expect([...changes.kinds]).toEqual(kinds)
  })

  it('prints up to 12 changes per list', async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => ({ name: `t${index}` }))
    const { lines } = compareLists(await listsOf({}), await listsOf(tools(...twelve)))
    expect(lines).toEqual([`tools: ${twelve.map(({ name }) => `+${name}`).join(' ')}`])
  })

  it('reads at most the first 100 pages of a list', async () => {
    let pages = 0
    await readLists((method) => {
      if (method === 'tools/list') pages++
      return Promise.resolve({ tools: [{ name: `t${pages}` }], nextCursor: 'next' })
    })
    expect(pages).toBe(100)
  })

  it('counts the changes beyond the first 12 instead of printing them', async () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ name: `t${index}` }))
    const { lines } = compareLists(await listsOf({}), await listsOf(tools(...many)))
    expect(lines).toEqual([expect.stringMatching(/^tools: \+t0 .* \+t11 and 38 more$/)])
  })

  it('rejects if the process exits while its lists are being read', async () => {
    await expect(readLists(() => Promise.reject(new ProcessEnded()))).rejects.toThrow(ProcessEnded)
  })
})
