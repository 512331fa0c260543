import { notification, silent } from '@jetway-apps/test-support'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { McpServer, UsageError } from '@jetway/core'
import { type SkillDefinition, skills, type SkillsExtension, type SkillsOptions } from '../src/index.ts'
import { openSession, type Request, statelessClient } from './support/clients.ts'

const SPEC = 'https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx'

interface Bench {
  readonly library: SkillsExtension
  readonly server: McpServer
  readonly request: Request
}

function bench(given: readonly SkillDefinition[], options: Omit<SkillsOptions, 'skills'> = {}): Bench {
  const library = skills({ skills: given, ...options })
  const server = new McpServer({ name: 'skills', version: '1' }, { extensions: [library], logger: silent })
  return { library, server, request: statelessClient(server) }
}

const git: SkillDefinition = {
  name: 'git-workflow',
  description: 'How this team branches',
  frontmatter: { license: 'MIT', metadata: { version: '2.1.0', tags: ['a', null, 1.5] } },
  instructions: '# Branches\n\nSee references/NAMES.md\n',
  files: {
    'references/NAMES.md': 'feature/…\n',
    'assets/logo.png': new Uint8Array([137, 80, 78, 71, 0, 255]),
  },
}

const sha256 = (content: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`

interface Listed {
  readonly uri: string
  readonly frontmatter: Record<string, unknown>
  readonly resources: readonly { uri: string; digest: string; size: number }[] | 'dynamic'
}

async function listed(request: Request): Promise<readonly Listed[]> {
  return (await request('skills/list')).result['skills'] as Listed[]
}

async function read(request: Request, uri: string): Promise<Record<string, string>> {
  const { contents } = (await request('resources/read', { uri })).result as {
    contents: Record<string, string>[]
  }
  return contents[0] ?? {}
}

const bytesOf = ({ text, blob }: Record<string, string>): Uint8Array =>
  text === undefined ? Buffer.from(blob ?? '', 'base64') : Buffer.from(text)

type Manifest = Exclude<Listed['resources'], string>

const manifestOf = (skill: Listed | undefined): Manifest =>
  skill === undefined || skill.resources === 'dynamic' ? [] : skill.resources

const paths = (skill: Listed | undefined): readonly string[] => manifestOf(skill).map(({ uri }) => uri)

describe(`skills/list (${SPEC}#listing-skills)`, () => {
  it('returns the complete frontmatter, and a manifest that matches every file', async () => {
    const { request } = bench([git])
    const { result } = await request('skills/list')
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    expect(result).not.toHaveProperty('nextCursor')
    const [skill] = result['skills'] as [Listed]
    expect(skill.uri).toBe('skill://git-workflow/SKILL.md')
    expect(skill.frontmatter).toEqual({
      name: 'git-workflow',
      description: 'How this team branches',
      license: 'MIT',
      metadata: { version: '2.1.0', tags: ['a', null, 1.5] },
    })
    expect(paths(skill)).toEqual([
      'skill://git-workflow/SKILL.md',
      'skill://git-workflow/assets/logo.png',
      'skill://git-workflow/references/NAMES.md',
    ])
    for (const { uri, digest, size } of manifestOf(skill)) {
      const bytes = bytesOf(await read(request, uri))
      expect({ uri, digest: sha256(bytes), size: bytes.length }).toEqual({ uri, digest, size })
    }
  })

  it('returns each skill once across all pages, in URI order', async () => {
    const many = ['c', 'a', 'b/x', 'd', 'b/y'].map((path) => ({ ...named(path), path }))
    const { request } = bench(many, { pageSize: 2 })
    const seen: string[][] = []
    let cursor: unknown
    do {
      const { result } = await request('skills/list', cursor === undefined ? {} : { cursor })
      seen.push((result['skills'] as Listed[]).map(({ uri }) => uri))
      cursor = result['nextCursor']
    } while (cursor !== undefined)
    expect(seen).toEqual([
      ['skill://a/SKILL.md', 'skill://b/x/SKILL.md'],
      ['skill://b/y/SKILL.md', 'skill://c/SKILL.md'],
      ['skill://d/SKILL.md'],
    ])
  })

  it('continues at the right skill if a skill is removed between two pages', async () => {
    const { library, request } = bench(['a', 'b', 'c'].map(named), { pageSize: 2 })
    const { nextCursor } = (await request('skills/list')).result
    library.set(['a', 'c'].map(named))
    const { result } = await request('skills/list', { cursor: nextCursor })
    expect((result['skills'] as Listed[]).map(({ uri }) => uri)).toEqual(['skill://c/SKILL.md'])
  })

  it('limits a page to 1 MiB without splitting an entry', async () => {
    const large = (name: string): SkillDefinition => ({
      ...named(name),
      frontmatter: { note: 'x'.repeat(700_000) },
    })
    const { request } = bench(['a', 'b', 'c'].map(large))
    const first = (await request('skills/list')).result
    expect(first['skills']).toHaveLength(1)
    const second = (await request('skills/list', { cursor: first['nextCursor'] })).result
    expect((second['skills'] as Listed[]).map(({ uri }) => uri)).toEqual(['skill://b/SKILL.md'])
  })

  it('returns -32602 for an unknown cursor', async () => {
    const { request } = bench([git])
    expect((await request('skills/list', { cursor: 'made-up' })).error?.code).toBe(-32602)
  })

  it('contains a cache hint if the `cache` option is set', async () => {
    const { request } = bench([git], { cache: { ttlMs: 60_000, cacheScope: 'public' } })
    expect((await request('skills/list')).result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
    const uri = 'skill://git-workflow/SKILL.md'
    expect((await request('skills/get', { uri })).result).toMatchObject({
      ttlMs: 60_000,
      cacheScope: 'public',
    })
  })

  it('lists nested skills among the files of the outer skill', async () => {
    const { request } = bench([
      { ...named('tax'), path: 'billing/tax', files: { 'rates.csv': 'a,b\n' } },
      { ...named('billing'), files: { 'GUIDE.md': 'x' } },
      named('billing-2'),
    ])
    const [other, outer, inner] = await listed(request)
    expect(paths(other)).toEqual(['skill://billing-2/SKILL.md'])
    expect(paths(outer)).toEqual([
      'skill://billing/GUIDE.md',
      'skill://billing/SKILL.md',
      'skill://billing/tax/SKILL.md',
      'skill://billing/tax/rates.csv',
    ])
    expect(paths(inner)).toEqual(['skill://billing/tax/SKILL.md', 'skill://billing/tax/rates.csv'])
  })

  it('marks a skill as dynamic if any of its files, even a nested one, is generated on each read', async () => {
    let count = 0
    const { request } = bench([
      named('outer'),
      { ...named('daily'), path: 'outer/daily', instructions: () => `Report ${++count}\n` },
    ])
    expect((await listed(request)).map(({ resources }) => resources)).toEqual(['dynamic', 'dynamic'])
    const uri = 'skill://outer/daily/SKILL.md'
    expect((await read(request, uri))['text']).toMatch(/^---\n"name": "daily"\n[\s\S]*\n---\n\nReport 1\n$/)
    expect((await read(request, uri))['text']).toMatch(/Report 2\n$/)
  })
})

const named = (path: string): SkillDefinition => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  description: 'Does things',
  instructions: 'Do them.\n',
})

describe(`skills/get (${SPEC}#getting-a-skill)`, () => {
  it('returns the same entry as skills/list for the URI of SKILL.md', async () => {
    const { request } = bench([git])
    const [entry] = await listed(request)
    const { result } = await request('skills/get', { uri: 'skill://git-workflow/SKILL.md' })
    expect(result).toMatchObject({ resultType: 'complete', skill: entry, ttlMs: 0, cacheScope: 'private' })
    expect(result).not.toHaveProperty('nextCursor')
  })

  it.each([
    'skill://other/SKILL.md',
    'skill://git-workflow',
    'skill://git-workflow/references/NAMES.md',
    'skill://git-workflow/x/../SKILL.md',
    '',
    1,
  ])('returns -32602 for %j', async (uri) => {
    const { request } = bench([git])
    expect((await request('skills/get', { uri })).error?.code).toBe(-32602)
  })
})

describe(`resources/directory/read (${SPEC}#reading-directories)`, () => {
  it('returns the direct children of a folder, including folders', async () => {
    const { request } = bench([git], { directoryRead: true })
    const { result } = await request('resources/directory/read', { uri: 'skill://git-workflow' })
    expect(result['resources']).toEqual([
      {
        uri: 'skill://git-workflow/SKILL.md',
        name: 'git-workflow',
        description: 'How this team branches',
        mimeType: 'text/markdown',
        size: expect.any(Number) as number,
      },
      { uri: 'skill://git-workflow/assets', name: 'assets', mimeType: 'inode/directory' },
      { uri: 'skill://git-workflow/references', name: 'references', mimeType: 'inode/directory' },
    ])
    const below = await request('resources/directory/read', { uri: 'skill://git-workflow/assets' })
    expect(below.result['resources']).toEqual([
      { uri: 'skill://git-workflow/assets/logo.png', name: 'logo.png', mimeType: 'image/png', size: 6 },
    ])
  })

  it('returns one page at a time, and rejects a cursor from another folder', async () => {
    const { request } = bench([git], { directoryRead: true, pageSize: 2 })
    const uri = 'skill://git-workflow'
    const first = (await request('resources/directory/read', { uri })).result
    expect(first['resources']).toHaveLength(2)
    const cursor = first['nextCursor']
    const second = (await request('resources/directory/read', { uri, cursor })).result
    expect(second['resources']).toHaveLength(1)
    expect(second).not.toHaveProperty('nextCursor')
    const elsewhere = await request('resources/directory/read', { uri: `${uri}/assets`, cursor })
    expect(elsewhere.error?.code).toBe(-32602)
  })

  it.each(['skill://git-workflow/SKILL.md', 'skill://git-workflow/', 'skill://nothing', 2])(
    'returns -32602 for %j, which is not a folder',
    async (uri) => {
      const { request } = bench([git], { directoryRead: true })
      expect((await request('resources/directory/read', { uri })).error?.code).toBe(-32602)
    },
  )

  it('is declared as a capability if it is enabled, and is an unknown method otherwise', async () => {
    const without = bench([git])
    const withIt = bench([git], { directoryRead: true })
    const call = ({ request }: Bench): Promise<{ error?: { code: number } }> =>
      request('resources/directory/read', { uri: 'skill://git-workflow' })
    expect((await call(without)).error?.code).toBe(-32601)
    expect((await call(withIt)).error).toBeUndefined()
    const declared = async ({ request }: Bench): Promise<unknown> =>
      (await request('server/discover')).result['capabilities']
    const id = 'io.modelcontextprotocol/skills'
    expect(await declared(without)).toMatchObject({ resources: {}, extensions: { [id]: {} } })
    expect(await declared(without)).not.toHaveProperty(['extensions', id, 'directoryRead'])
    expect(await declared(withIt)).toMatchObject({ extensions: { [id]: { directoryRead: true } } })
  })
})

describe(`the files of skills (${SPEC}#resource-mapping)`, () => {
  it('are listed as resources, and SKILL.md has the name and description of its skill', async () => {
    const { request } = bench([git])
    const { resources } = (await request('resources/list')).result as { resources: Record<string, unknown>[] }
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ['skill://git-workflow/SKILL.md', 'text/markdown'],
      ['skill://git-workflow/assets/logo.png', 'image/png'],
      ['skill://git-workflow/references/NAMES.md', 'text/markdown'],
    ])
    expect(resources[0]).toMatchObject({ name: 'git-workflow', description: 'How this team branches' })
  })

  it('can be read by session clients, which do not know the extension', async () => {
    const { server } = bench([git])
    const client = await openSession(server)
    const uri = 'skill://git-workflow/references/NAMES.md'
    const { result } = await client.request('resources/read', { uri })
    expect(result).toMatchObject({ contents: [{ uri, text: 'feature/…\n', mimeType: 'text/markdown' }] })
    expect((await client.request('skills/list')).error?.code).toBe(-32601)
    await client.close()
  })

  it('are sent unchanged, even with a byte order mark, a NUL or a space in the name', async () => {
    const files = { 'a b?.md': '\ufeffx', 'data.bin': new Uint8Array([0, 65]), NOTES: Buffer.from('é') }
    const { request } = bench([{ ...named('odd'), files }])
    expect(bytesOf(await read(request, 'skill://odd/a%20b%3F.md'))).toEqual(Buffer.from('\ufeffx'))
    expect(await read(request, 'skill://odd/data.bin')).toMatchObject({ blob: 'AEE=' })
    expect(await read(request, 'skill://odd/NOTES')).toMatchObject({ text: 'é', mimeType: 'text/plain' })
    const [skill] = await listed(request)
    for (const { uri, digest } of manifestOf(skill))
      expect(sha256(bytesOf(await read(request, uri)))).toBe(digest)
  })

  it('are sent as text if a function returns a string or UTF-8 bytes', async () => {
    const files = {
      'a.txt': () => 'a',
      'b.txt': () => Buffer.from('é'),
      'c.bin': () => new Uint8Array([0, 255]),
    }
    const { request } = bench([{ ...named('made'), files }])
    expect(await read(request, 'skill://made/a.txt')).toMatchObject({ text: 'a' })
    expect(await read(request, 'skill://made/b.txt')).toMatchObject({ text: 'é' })
    expect(await read(request, 'skill://made/c.bin')).toMatchObject({ blob: 'AP8=' })
  })

  it('are copied, so later changes to the bytes have no effect', async () => {
    const bytes = new Uint8Array([0, 1, 2])
    const { request } = bench([{ ...named('fixed'), files: { 'a.bin': bytes } }])
    bytes[1] = 9
    expect(await read(request, 'skill://fixed/a.bin')).toMatchObject({ blob: 'AAEC' })
  })

  it('cause an internal error without details if a function returns an invalid value', async () => {
    const { request } = bench([{ ...named('broken'), files: { 'a.md': () => 1 as unknown as string } }])
    const { error } = await request('resources/read', { uri: 'skill://broken/a.md' })
    expect(error?.code).toBe(-32603)
    expect(error?.message).toMatch(/^Internal error/)
  })
})

describe('`set`', () => {
  it('serves the new skills, and notifies clients of the changed resources', async () => {
    const { library, server, request } = bench([git])
    const client = await openSession(server)
    library.set([named('other')])
    expect((await listed(request)).map(({ uri }) => uri)).toEqual(['skill://other/SKILL.md'])
    const { resources } = (await client.request('resources/list')).result as { resources: { uri: string }[] }
    expect(resources.map(({ uri }) => uri)).toEqual(['skill://other/SKILL.md'])
    expect(client.notifications).toContainEqual(notification('notifications/resources/list_changed'))
    await client.close()
  })

  it('changes nothing if a skill is invalid', async () => {
    const { library, request } = bench([git])
    expect(() => library.set([named('other'), named('Wrong')])).toThrow(UsageError)
    expect((await listed(request)).map(({ uri }) => uri)).toEqual(['skill://git-workflow/SKILL.md'])
  })
})

describe('validation of skills and options', () => {
  const document = '---\nname: a\ndescription: b\n---\n'
  it.each<[string, unknown, string]>([
    ['a name in capitals', named('Git'), 'ERR_MCP_INVALID_NAME'],
    ['a name with two hyphens', named('a--b'), 'ERR_MCP_INVALID_NAME'],
    ['a name that ends in a hyphen', named('a-'), 'ERR_MCP_INVALID_NAME'],
    ['a name of 65 characters', named('a'.repeat(65)), 'ERR_MCP_INVALID_NAME'],
    ['an empty description', { ...named('a'), description: ' ' }, 'ERR_MCP_INVALID_DEFINITION'],
    ['a long description', { ...named('a'), description: 'x'.repeat(1025) }, 'ERR_MCP_INVALID_DEFINITION'],
    ['a path that ends in another name', { ...named('a'), path: 'x/b' }, 'ERR_MCP_INVALID_NAME'],
    ['a path to a parent folder', { ...named('a'), path: '../a' }, 'ERR_MCP_INVALID_NAME'],
    ['a path with an empty segment', { ...named('a'), path: 'x//a' }, 'ERR_MCP_INVALID_NAME'],
    ['an authority in capitals', { ...named('a'), path: 'Acme/a' }, 'ERR_MCP_INVALID_NAME'],
    ['a file in a parent folder', { ...named('a'), files: { '../x': '' } }, 'ERR_MCP_INVALID_NAME'],
    [
      'a file in a parent folder on Windows',
      { ...named('a'), files: { '..\\x': '' } },
      'ERR_MCP_INVALID_NAME',
    ],
    ['an absolute file', { ...named('a'), files: { '/etc/x': '' } }, 'ERR_MCP_INVALID_NAME'],
    ['a file on a drive', { ...named('a'), files: { 'c:x': '' } }, 'ERR_MCP_INVALID_NAME'],
    ['a file with a NUL in its name', { ...named('a'), files: { 'x\0': '' } }, 'ERR_MCP_INVALID_NAME'],
    ['a file that is a number', { ...named('a'), files: { x: 1 } }, 'ERR_MCP_INVALID_DEFINITION'],
    ['half of a surrogate pair', { ...named('a'), files: { x: '\ud800' } }, 'ERR_MCP_INVALID_DEFINITION'],
    [
      'a file and a folder of one name',
      { ...named('a'), files: { x: '', 'x/y': '' } },
      'ERR_MCP_DUPLICATE_NAME',
    ],
    ['no document', { name: 'a', description: 'b' }, 'ERR_MCP_INVALID_DEFINITION'],
    ['two documents', { ...named('a'), files: { 'SKILL.md': document } }, 'ERR_MCP_INVALID_DEFINITION'],
    [
      'a document without frontmatter',
      { ...named('a'), instructions: undefined, files: { 'SKILL.md': '# a' } },
      'ERR_MCP_INVALID_DEFINITION',
    ],
    [
      'frontmatter that JSON changes',
      { ...named('a'), frontmatter: { at: new Date(0) } },
      'ERR_MCP_INVALID_DEFINITION',
    ],
    [
      'its name in the frontmatter',
      { ...named('a'), frontmatter: { name: 'b' } },
      'ERR_MCP_INVALID_DEFINITION',
    ],
    ['513 files', { ...named('a'), files: fill(512, '') }, 'ERR_MCP_INVALID_DEFINITION'],
    [
      'more than 16 MiB',
      { ...named('a'), files: fill(3, new Uint8Array(5_600_000)) },
      'ERR_MCP_INVALID_DEFINITION',
    ],
    [
      'a file that no read could carry',
      { ...named('a'), files: { x: new Uint8Array(6_000_001) } },
      'ERR_MCP_INVALID_DEFINITION',
    ],
    ['nothing', null, 'ERR_MCP_INVALID_DEFINITION'],
  ])('rejects %s', (_, skill, code) => {
    expect(() => skills({ skills: [skill as SkillDefinition] })).toThrow(expect.objectContaining({ code }))
  })

  it('rejects two skills that share a path or a file', () => {
    expect(() => skills({ skills: [named('a'), named('a')] })).toThrow(/already/)
    const outer = { ...named('a'), files: { 'b/SKILL.md': document } }
    expect(() => skills({ skills: [outer, { ...named('b'), path: 'a/b' }] })).toThrow(
      /Two skills have a file/,
    )
  })

  it.each<[string, object]>([
    ['pageSize', { pageSize: 0 }],
    ['cache', { cache: { ttlMs: -1 } }],
    ['skills', { skills: 1 }],
  ])('throws ERR_MCP_OPTION for an invalid option: %s', (name, options) => {
    expect(() => skills({ skills: [], ...options })).toThrow(new RegExp(name))
  })
})

const fill = (count: number, content: string | Uint8Array): Record<string, string | Uint8Array> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, content]))
