import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '@jetway/core'
import { type SkillDefinition, skills, type SkillsExtension, type SkillsOptions } from '../src/index.ts'
import { type Request, statelessClient } from './support/clients.ts'

const DOCUMENT = '---\nname: a\ndescription: b\n---\n\nDo them.\n'

const named = (name: string, more: object = {}): SkillDefinition => ({
  name,
  description: 'Does things',
  instructions: 'Do them.\n',
  ...more,
})
const documented = (files: SkillDefinition['files']): SkillDefinition => ({
  name: 'a',
  description: 'b',
  files: { 'SKILL.md': DOCUMENT, ...files },
})

function serve(
  given: readonly SkillDefinition[],
  options: Omit<SkillsOptions, 'skills'> = {},
): { library: SkillsExtension; request: Request } {
  const library = skills({ skills: given, ...options })
  const server = new McpServer({ name: 'skills', version: '1' }, { extensions: [library], logger: silent })
  return { library, request: statelessClient(server) }
}

interface Page {
  readonly skills: readonly { readonly uri: string }[]
  readonly nextCursor?: string
}

const pageOf = async (request: Request, cursor?: unknown): Promise<Page> =>
  (await request('skills/list', { cursor })).result as unknown as Page

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, '']))

describe('limits for a skill', () => {
  it.each<[string, number, (size: number) => SkillDefinition, string]>([
    [
      'characters in the description',
      1024,
      (size) => named('a', { description: 'x'.repeat(size) }),
      '1 to 1024 characters',
    ],
    [
      'characters in the path',
      512,
      (size) => named('a', { path: `${'x/'.repeat(254)}${'x'.repeat(size - 510)}/a` }),
      'of at most 512 characters',
    ],
    ['files', 512, (size) => named('a', { files: many(size - 1) }), 'has 513 files'],
    ['bytes in a file', 6_000_000, (size) => documented({ x: new Uint8Array(size) }), '8000004 of 8000000'],
    [
      'bytes of text in a file',
      8_000_000,
      (size) => documented({ x: 'y'.repeat(size - 2) }),
      '8000001 of 8000000',
    ],
    [
      'bytes in total',
      16 * 1024 * 1024,
      (size) => {
        const part = new Uint8Array(5_500_000)
        const rest = new Uint8Array(size - 2 * part.length - DOCUMENT.length)
        return documented({ a: part, b: part, rest, now: () => 'Later' })
      },
      'has 5 files of 16777217 bytes',
    ],
    [
      'segments in the path of a file',
      32,
      (size) => documented({ [`${'x/'.repeat(size - 1)}x`]: '' }),
      'at most 32 segments',
    ],
    [
      'characters in the path of a file',
      1024,
      (size) => documented({ ['x'.repeat(size)]: '' }),
      '1024 characters',
    ],
    [
      'characters in the URI of a file',
      4096,
      (size) => documented({ [`${'é'.repeat(681)}${'x'.repeat(size - 4096)}`]: '' }),
      'longer than 4096 characters',
    ],
  ])('allow the maximum number of %s (%d), but no more', (_, limit, define, message) => {
    expect(() => skills({ skills: [define(limit)] })).not.toThrow()
    expect(() => skills({ skills: [define(limit + 1)] })).toThrow(message)
  })
})

describe('the pages of skills/list', () => {
  it('contain 100 skills by default', async () => {
    const { request } = serve(Array.from({ length: 101 }, (_, index) => named(`s${index}`)))
    const { skills: first, nextCursor } = await pageOf(request)
    expect(first).toHaveLength(100)
    expect((await pageOf(request, nextCursor)).skills).toHaveLength(1)
  })

  it('have no cursor after the last skill', async () => {
    const { request } = serve([named('a'), named('b')], { pageSize: 2 })
    expect(await pageOf(request)).not.toHaveProperty('nextCursor')
  })

  it('are empty if all remaining skills have been removed', async () => {
    const { library, request } = serve([named('a'), named('b'), named('c')], { pageSize: 2 })
    const { nextCursor } = await pageOf(request)
    library.set([named('a')])
    const page = await pageOf(request, nextCursor)
    expect(page.skills).toEqual([])
    expect(page).not.toHaveProperty('nextCursor')
  })

  it('contain up to 1 MiB of entries, or a single larger entry', async () => {
    const noted = (name: string, note: string): SkillDefinition => named(name, { frontmatter: { note } })
    const { library, request } = serve([noted('a', ''), noted('b', 'x'.repeat(1_000_000))])
    const size = (await pageOf(request)).skills.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0)
    const note = 'x'.repeat(1_000_000 + 1024 * 1024 - size)
    library.set([noted('a', ''), noted('b', note)])
    expect((await pageOf(request)).skills).toHaveLength(2)
    library.set([noted('a', ''), noted('b', `${note}x`)])
    const { skills: first, nextCursor } = await pageOf(request)
    expect(first).toHaveLength(1)
    library.set([noted('a', ''), noted('b', `${note}${'x'.repeat(1000)}`)])
    expect((await pageOf(request, nextCursor)).skills).toMatchObject([{ uri: 'skill://b/SKILL.md' }])
  })
})

describe('SKILL.md', () => {
  it.each<[string, string | Uint8Array]>([
    ['a string', DOCUMENT],
    ['bytes', Buffer.from(DOCUMENT)],
  ])('is served unchanged if given as %s', async (_, document) => {
    const { request } = serve([{ ...documented({}), files: { 'SKILL.md': document } }])
    const { result } = await request('resources/read', { uri: 'skill://a/SKILL.md' })
    expect(result['contents']).toMatchObject([{ text: DOCUMENT }])
  })

  it('escapes characters that YAML 1.1 forbids in generated frontmatter', async () => {
    const { request } = serve([named('a', { frontmatter: { note: 'a\u0085b\u2028\ufeff' } })])
    const { result } = await request('resources/read', { uri: 'skill://a/SKILL.md' })
    expect(result['contents']).toMatchObject([
      { text: expect.stringContaining(String.raw`"note": "a\u0085b\u2028\ufeff"`) as string },
    ])
  })

  it('cannot be read if the `instructions` function does not return a string', async () => {
    const { request } = serve([named('a', { instructions: () => 1 })])
    expect((await request('resources/read', { uri: 'skill://a/SKILL.md' })).error?.code).toBe(-32603)
  })
})

describe('the files of a skill', () => {
  it.each<[string, NonNullable<SkillDefinition['files']>[string], object]>([
    ['a.json', () => '1', { text: '1', mimeType: 'application/json' }],
    ['NOTES', () => '1', { text: '1', mimeType: 'text/plain' }],
    ['made', () => Buffer.from('\ufeffx'), { text: '\ufeffx' }],
    ['given', Buffer.from('\ufeffx'), { text: '\ufeffx' }],
    ['NO-UTF-8', new Uint8Array([65, 255]), { blob: 'Qf8=', mimeType: 'application/octet-stream' }],
  ])('are sent as text or bytes, depending on their contents: %s', async (name, content, expected) => {
    const { request } = serve([documented({ [name]: content })])
    const { result } = await request('resources/read', { uri: `skill://a/${name}` })
    expect(result['contents']).toMatchObject([expected])
  })
})

describe('the error for an invalid skill', () => {
  it.each<[object, string]>([
    [{ path: 1 }, 'The skill "1" needs a path that ends in its name'],
    [{ name: 'a--b' }, 'The skill "a--b" needs a name of 1 to 64 characters'],
    [{ files: 1 }, 'The skill "a" needs an object as its files'],
    [{ files: { '../x': '' } }, 'The skill "a" has a file "../x"'],
    [{ instructions: 1 }, 'needs a string or a function as its instructions'],
    [{ frontmatter: 1 }, 'needs an object as its frontmatter'],
    [{ frontmatter: { note: '\ud800' } }, 'has frontmatter with half of a surrogate pair'],
    [{ frontmatter: { tags: [{ '\ud800': 1 }] } }, 'has frontmatter with half of a surrogate pair'],
    [{ frontmatter: { metadata: { tags: ['\ud800'] } } }, 'has frontmatter with half of a surrogate pair'],
  ])('names the skill and its problem: %j', (change, message) => {
    expect(() => skills({ skills: [named('a', change)] })).toThrow(message)
  })
})
