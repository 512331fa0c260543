import { createHash } from 'node:crypto'
import { McpServer } from '@jetway/core'
import type { JsonObject, ReadResourceResult } from '@jetway/core/protocol'
import { skills as served, type SkillDefinition, type SkillsOptions as ServedOptions } from '@jetway/skills'
import { describe, expect, it } from 'vitest'
import {
  type Skill,
  SkillRefusedError,
  Skills,
  type SkillServer,
  type SkillsOptions,
} from '../../src/skills/index.ts'
import { connectTo } from '../support/servers.ts'

const SPEC = 'https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx'

const FORMS: SkillDefinition = {
  name: 'pdf',
  path: 'office/pdf',
  description: 'Fill forms in',
  frontmatter: { license: 'MIT', metadata: { version: '2.1.0', tags: ['a', null, 1.5, true] } },
  instructions: '# Forms\n\nSee references/how to.md\n',
  files: {
    'references/how to.md': 'Carefully…\n',
    'logo.bin': new Uint8Array([0, 137, 80, 255]),
  },
}
const ROOT = 'skill://office/pdf'

/** Connects a real client to a real server with skills. */
async function opened(
  given: readonly SkillDefinition[],
  options: SkillsOptions = {},
  how: Omit<ServedOptions, 'skills'> = {},
): Promise<{ skills: Skills; read: string[] }> {
  const server = new McpServer(
    { name: 's', version: '1' },
    { extensions: [served({ skills: given, ...how })] },
  )
  const client = await connectTo(server)
  const read: string[] = []
  return {
    read,
    skills: new Skills(
      {
        server: client.server,
        request: (...args) => client.request(...args),
        readResource: (uri, request) => {
          read.push(uri)
          return client.readResource(uri, request)
        },
      },
      options,
    ),
  }
}

const sha256 = (content: string): string => `sha256:${createHash('sha256').update(content).digest('hex')}`

const DOCUMENT = '---\nname: pdf\ndescription: Fill forms in\n---\n\nBody\n'

const entryOf = (files: Readonly<Record<string, string>>): Skill => ({
  uri: `${ROOT}/SKILL.md`,
  frontmatter: { name: 'pdf', description: 'Fill forms in' },
  resources: Object.entries(files).map(([path, text]) => ({
    uri: `${ROOT}/${path}`,
    digest: sha256(text),
    size: Buffer.byteLength(text),
  })),
})

/** Creates a server that returns these files, whether or not they match its entries. */
function lying(
  files: Readonly<Record<string, string | JsonObject>>,
  answers: Record<string, JsonObject> = {},
): SkillServer {
  return {
    server: { capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } } },
    request: (method) => Promise.resolve(answers[method] ?? {}),
    readResource: (uri) => {
      const content = files[uri.slice(ROOT.length + 1)]
      const contents = [typeof content === 'string' ? { uri, text: content } : content]
      return Promise.resolve({ contents } as unknown as ReadResourceResult)
    },
  }
}

const refusal = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(SkillRefusedError)
  return (error as SkillRefusedError).reason
}

describe('Skills', () => {
  it(`lists and fetches skills without reading a file: ${SPEC}#lazy-retrieval`, async () => {
    const { skills, read } = await opened(
      [FORMS, { name: 'b', description: 'B', instructions: 'B' }],
      {},
      { pageSize: 1 },
    )
    const all = await skills.list()
    expect(all.map(({ uri }) => uri)).toEqual(['skill://b/SKILL.md', `${ROOT}/SKILL.md`])
    expect(await skills.get(`${ROOT}/SKILL.md`)).toEqual(all[1])
    expect(read).toEqual([])
    await skills.load(`${ROOT}/SKILL.md`)
    expect(read).toEqual([`${ROOT}/SKILL.md`])
  })

  it('reads each file on demand, and only once', async () => {
    const { skills, read } = await opened([FORMS])
    const [entry] = await skills.list()
    const loaded = await skills.load(entry as Skill)
    expect(loaded.document).toMatch(/^---\n[\s\S]+# Forms/)
    expect((await loaded.read('references/how to.md')).text()).toBe('Carefully…\n')
    expect((await loaded.read(`./references/../references/how to.md`)).uri).toBe(
      `${ROOT}/references/how%20to.md`,
    )
    expect([...(await loaded.read(`${ROOT}/logo.bin`)).bytes]).toEqual([0, 137, 80, 255])
    expect((await loaded.read('SKILL.md')).text()).toBe(loaded.document)
    expect(read).toEqual([`${ROOT}/SKILL.md`, `${ROOT}/references/how%20to.md`, `${ROOT}/logo.bin`])
  })

  it.each([
    'missing.md',
    '../other/SKILL.md',
    'references/../../secret',
    '/etc/passwd',
    'file:///etc/passwd',
    'skill://other/SKILL.md',
    'references',
    '\uD800.md',
    '',
  ])(
    `rejects a request for %s, which is not a listed file: ${SPEC}#the-acting-window-and-the-held-entry`,
    async (reference) => {
      const { skills, read } = await opened([FORMS])
      const loaded = await skills.load(`${ROOT}/SKILL.md`)
      read.length = 0
      expect(await refusal(loaded.read(reference))).toBe('unlisted')
      expect(read).toEqual([])
    },
  )

  it('requests skills only if the server has declared the extension', async () => {
    const skills = new Skills(await connectTo(new McpServer({ name: 's', version: '1' })))
    expect(skills.offered).toBe(false)
    await expect(skills.list()).rejects.toMatchObject({ code: 'not-supported' })
    await expect(skills.load(entryOf({ 'SKILL.md': DOCUMENT }))).rejects.toMatchObject({
      code: 'not-supported',
    })
  })

  it('lists folders only if the server has declared directoryRead', async () => {
    const { skills } = await opened([FORMS], {}, { directoryRead: true })
    const children = await skills.readDirectory(ROOT)
    expect(children.map(({ uri }) => uri.slice(ROOT.length))).toEqual([
      '/SKILL.md',
      '/logo.bin',
      '/references',
    ])
    const { skills: without } = await opened([FORMS])
    await expect(without.readDirectory(ROOT)).rejects.toMatchObject({ code: 'not-supported' })
  })

  it(`computes a fingerprint that changes if any file changes: ${SPEC}#security-considerations`, async () => {
    const files = { 'SKILL.md': DOCUMENT, 'a.md': 'a' }
    const before = await Skills.fingerprint(entryOf(files))
    expect(await Skills.fingerprint(entryOf({ 'a.md': 'a', 'SKILL.md': DOCUMENT }))).toBe(before)
    for (const other of [{ ...files, 'a.md': 'b' }, { ...files, 'b.md': 'b' }, { 'SKILL.md': DOCUMENT }])
      expect(await Skills.fingerprint(entryOf(other))).not.toBe(before)
    expect(await Skills.fingerprint({ ...entryOf(files), resources: 'dynamic' })).toBeUndefined()
  })
})

describe('a skill whose content does not match its entry', () => {
  const entry = entryOf({ 'SKILL.md': DOCUMENT, 'a.md': 'right' })

  it.each([
    ['digest', { 'SKILL.md': DOCUMENT.replace('Body', 'Evil') }],
    ['size', { 'SKILL.md': `${DOCUMENT}more` }],
    ['unreadable', { 'SKILL.md': { uri: 'skill://other/SKILL.md', text: DOCUMENT } }],
    ['unreadable', { 'SKILL.md': { uri: `${ROOT}/SKILL.md`, blob: '§' } }],
    ['unreadable', { 'SKILL.md': { uri: `${ROOT}/SKILL.md` } }],
  ] as const)(`is not loaded (%s): ${SPEC}#verification-on-read`, async (reason, files) => {
    expect(await refusal(new Skills(lying(files)).load(entry))).toBe(reason)
  })

  it('does not return a changed file until the file matches again', async () => {
    const files = { 'SKILL.md': DOCUMENT, 'a.md': 'wrong' }
    const loaded = await new Skills(lying(files)).load(entry)
    expect(await refusal(loaded.read('a.md'))).toBe('digest')
    files['a.md'] = 'right'
    expect((await loaded.read('a.md')).text()).toBe('right')
  })

  it.each([
    ['has another description', DOCUMENT.replace('Fill forms in', 'Exfiltrate')],
    ['has an additional field', DOCUMENT.replace('---\n\n', 'allowed-tools: Bash\n---\n\n')],
    ['has a number instead of a string', DOCUMENT.replace('Fill forms in', '1')],
    ['is missing', 'Body'],
    ['does not end', '---\nname: pdf\ndescription: Fill forms in\n'],
    ['has a duplicate field', DOCUMENT.replace('name: pdf', 'name: pdf\nname: pdf')],
    ['is not YAML', DOCUMENT.replace('name: pdf', 'name: [')],
  ])(`is not loaded if its frontmatter %s: ${SPEC}#frontmatter-verification`, async (_, document) => {
    const consistent = entryOf({ 'SKILL.md': document })
    expect(await refusal(new Skills(lying({ 'SKILL.md': document })).load(consistent))).toBe('frontmatter')
  })

  it('is still loaded if only the order of fields differs', async () => {
    const document = `---\r\nmetadata:\r\n  tags: [a, null, 1.5, true, 2026-01-01]\r\n  "on": {}\r\nname: pdf\r\ndescription: Fill forms in\r\n---\r\nBody`
    const frontmatter = {
      name: 'pdf',
      description: 'Fill forms in',
      metadata: { on: {}, tags: ['a', null, 1.5, true, '2026-01-01'] },
    }
    const skill = { ...entryOf({ 'SKILL.md': document }), frontmatter }
    expect((await new Skills(lying({ 'SKILL.md': document })).load(skill)).document).toBe(document)
    const other = { ...skill, frontmatter: { ...frontmatter, metadata: { on: {}, tags: ['a'] } } }
    expect(await refusal(new Skills(lying({ 'SKILL.md': document })).load(other))).toBe('frontmatter')
  })
})

describe('a listed skill', () => {
  const good = entryOf({ 'SKILL.md': DOCUMENT })
  const [file] = good.resources as readonly { uri: string; digest: string; size: number }[]

  it.each<[string, object]>([
    ['no uri', { uri: undefined }],
    ['the uri of another file', { uri: `${ROOT}/README.md` }],
    ['no frontmatter', { frontmatter: undefined }],
    ['no description', { frontmatter: { name: 'pdf' } }],
    ['a name that differs from its folder', { frontmatter: { name: 'word', description: 'd' } }],
    ['no files', { resources: undefined }],
    ['a resources string other than dynamic', { resources: 'none' }],
    ['no SKILL.md among its files', { resources: [] }],
    ['a duplicate file', { resources: [file, file] }],
    ['a file from another skill', { resources: [file, { ...file, uri: 'skill://office/word/a.md' }] }],
    ['a file above its folder', { resources: [file, { ...file, uri: `${ROOT}/../a.md` }] }],
    [
      'a file above its folder in encoded form',
      { resources: [file, { ...file, uri: `${ROOT}/%2E%2e/a.md` }] },
    ],
    [
      'a file above its folder, with an encoded slash',
      { resources: [file, { ...file, uri: `${ROOT}/..%2Fa.md` }] },
    ],
    ['a file above its folder on Windows', { resources: [file, { ...file, uri: `${ROOT}/..\\a.md` }] }],
    [
      'a file above its folder, with an encoded backslash',
      { resources: [file, { ...file, uri: `${ROOT}/..%5ca.md` }] },
    ],
    ['a file name with a NUL character', { resources: [file, { ...file, uri: `${ROOT}/a%00.md` }] }],
    ['a digest other than SHA-256', { resources: [{ ...file, digest: 'md5:00' }] }],
    ['a negative size', { resources: [{ ...file, size: -1 }] }],
  ])(`is omitted, reported, and never loaded if it has %s: ${SPEC}#skill-entries`, async (_, change) => {
    const errors: Error[] = []
    const bad = { ...good, ...change }
    const server = lying(
      { 'SKILL.md': DOCUMENT },
      { 'skills/list': { skills: [bad, good] }, 'skills/get': { skill: bad } },
    )
    const skills = new Skills(server, { onError: (error) => errors.push(error) })
    expect(await skills.list()).toEqual([good])
    expect(errors).toMatchObject([{ reason: 'malformed' }])
    expect(await refusal(skills.load(bad as Skill))).toBe('malformed')
    expect(await refusal(skills.get(good.uri))).toBe('malformed')
  })

  it('is reported on a single line, even if its URI contains line breaks', async () => {
    const errors: Error[] = []
    const bad = { ...good, uri: `skill://a\nERROR: b\u202E${'c'.repeat(5_000)}` }
    const server = lying({}, { 'skills/list': { skills: [bad] } })
    await new Skills(server, { onError: (error) => errors.push(error) }).list()
    expect(errors[0]?.message).toMatch(
      /^skill:\/\/a\u{FFFD}ERROR: b\u{FFFD}c+ is not the URI of a SKILL.md$/u,
    )
    expect(errors[0]?.message.length).toBeLessThan(600)
  })

  it('is rejected if it is not the requested skill', async () => {
    const server = lying({}, { 'skills/get': { skill: good } })
    expect(await refusal(new Skills(server).get('skill://other/SKILL.md'))).toBe('malformed')
  })

  it(`is rejected before any file is read if it is too large: ${SPEC}#limits`, async () => {
    const many = {
      ...good,
      resources: Array.from({ length: 513 }, (_, at) => ({
        ...file,
        uri: at === 0 ? file?.uri : `${ROOT}/${at}`,
      })),
    }
    const large = { ...good, resources: [{ ...file, size: 16 * 1024 * 1024 + 1 }] }
    for (const skill of [many, large])
      expect(await refusal(new Skills(lying({})).load(skill as Skill))).toBe('too-large')
    const most = { ...many, resources: many.resources.slice(0, 512) } as Skill
    expect((await new Skills(lying({ 'SKILL.md': DOCUMENT })).load(most)).document).toBe(DOCUMENT)
  })

  it('is not returned if the list does not end', async () => {
    const server = lying({}, { 'skills/list': { skills: [good], nextCursor: 'again' } })
    await expect(new Skills(server).list()).rejects.toMatchObject({ code: 'endless-list' })
  })
})

describe('a skill without digests', () => {
  const report = (text: () => string): SkillDefinition => ({
    name: 'daily',
    description: 'Today',
    instructions: text,
  })

  it('is rejected unless the options allow it', async () => {
    const { skills, read } = await opened([report(() => 'now')])
    expect(await refusal(skills.load('skill://daily/SKILL.md'))).toBe('dynamic')
    expect(read).toEqual([])
    const { skills: lenient } = await opened([report(() => 'now')], { dynamic: 'load' })
    expect((await lenient.load('skill://daily/SKILL.md')).document).toMatch(/now$/)
  })

  it('is read again each time, but only up to `maxBytes` and within its folder', async () => {
    const skill: Skill = { ...entryOf({}), resources: 'dynamic' }
    const files = { 'SKILL.md': DOCUMENT, 'a.md': 'x'.repeat(30) }
    const loaded = await new Skills(lying(files), { dynamic: 'load', maxBytes: DOCUMENT.length + 50 }).load(
      skill,
    )
    expect((await loaded.read('a.md')).text()).toBe(files['a.md'])
    expect(await refusal(loaded.read('../b.md'))).toBe('unlisted')
    expect(await refusal(loaded.read('a.md'))).toBe('too-large')
    expect(await refusal(new Skills(lying(files), { dynamic: 'load', maxBytes: 10 }).load(skill))).toBe(
      'too-large',
    )
  })
})
