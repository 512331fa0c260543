import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it } from 'vitest'
import { isInside, readEntry } from '../../src/skills/entry.ts'
import { type Skill, SkillRefusedError, Skills, type SkillServer } from '../../src/skills/index.ts'
import { digestOf, verifyDocument } from '../../src/skills/verify.ts'

const ROOT = 'skill://pdf'
const URI = `${ROOT}/SKILL.md`
const DIGEST = `sha256:${'0'.repeat(64)}`
const frontmatter = { name: 'pdf', description: 'd' }
const document = { uri: URI, digest: DIGEST, size: 0 }

/** Returns the message of the error that a function throws. */
function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(SkillRefusedError)
    return (error as Error).message
  }
  return 'none'
}

it('Skills stops reading a list that exceeds 64 MiB', async () => {
  let pages = 0
  const text = 'x'.repeat(8 * 1024 * 1024)
  const server = {
    server: { capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } } },
    request: () => Promise.resolve({ skills: [{ uri: `${text}${pages}` }], nextCursor: `${++pages}` }),
  } as unknown as SkillServer
  await expect(new Skills(server).list()).rejects.toMatchObject({ code: 'endless-list' })
  expect(pages).toBe(4)
})

describe('a skill entry', () => {
  const good = { uri: URI, frontmatter, resources: [document] }

  it('is read without the members that the protocol does not define', () => {
    expect(readEntry({ ...good, more: 1, resources: [{ ...document, more: 1 }] })).toEqual(good)
    expect(readEntry({ ...good, more: 1, resources: 'dynamic' })).toEqual({ ...good, resources: 'dynamic' })
  })

  it.each<[unknown, string]>([
    [5, 'A skill has an entry without a uri'],
    [{ ...good, uri: 5 }, 'A skill has an entry without a uri'],
    [
      { ...good, frontmatter: { name: 'pdf', description: 5 } },
      `${URI} has an entry without a name and a description`,
    ],
    [
      { ...good, frontmatter: { name: 5, description: 'd' } },
      `${URI} has an entry without a name and a description`,
    ],
    [
      { ...good, frontmatter: { name: 'x'.repeat(65), description: 'd' } },
      `${URI} is named "${'x'.repeat(64)}", but its folder is not`,
    ],
    [
      { ...good, resources: [document, { ...document, uri: `x${'y'.repeat(300)}` }] },
      `${URI} lists x${'y'.repeat(255)}, which is outside its folder`,
    ],
    [{ ...good, resources: [document, document] }, `${URI} lists ${URI} twice`],
    ...[{ size: 1.5 }, { size: -1 }, { size: '0' }, { digest: 5 }, { digest: `${DIGEST}0` }, { uri: 5 }].map(
      (wrong) =>
        [
          { ...good, resources: [{ ...document, ...wrong }] },
          `${URI} lists a file without a uri, a size or a SHA-256 digest`,
        ] as const satisfies [unknown, string],
    ),
    [{ ...good, resources: [null] }, `${URI} lists a file without a uri, a size or a SHA-256 digest`],
  ])('is rejected: %j', (entry, message) => {
    expect(messageOf(() => readEntry(entry))).toBe(message)
  })

  it.each([
    ['a.md', true],
    ['a/b.md', true],
    ['...', true],
    ['', false],
    ['a//b', false],
    ['a/.', false],
    ['%2e%2E', false],
    ['a/..', false],
    ['a\\b', false],
    ['a%2fb', false],
  ])('given the path %j, is inside the folder: %j', (path, expected) => {
    expect(isInside(ROOT, `${ROOT}/${path}`)).toBe(expected)
    expect(isInside(ROOT, `${ROOT}x/${path}`)).toBe(false)
  })
})

describe('the frontmatter of a SKILL.md', () => {
  const verifying = (text: string, stated: JsonObject): string =>
    messageOf(() =>
      verifyDocument({ uri: URI, frontmatter: stated, resources: [] }, new TextEncoder().encode(text)),
    )
  const REFUSED = `${URI} does not begin with valid frontmatter`
  const OTHER = `${URI} has frontmatter that does not match its entry`

  it.each([
    [65_536, 'none'],
    [65_537, REFUSED],
  ])('is limited in length (%i characters)', (length, expected) => {
    const block = 'a: '.padEnd(length, 'b')
    expect(verifying(`---\n${block}\n---\n`, { a: 'b'.repeat(length - 3) })).toBe(expected)
  })

  it.each([
    [64, 'none'],
    [65, OTHER],
  ])('is limited in nesting depth (%i levels)', (levels, expected) => {
    const block = `a: ${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}`
    let stated: unknown = 1
    for (let i = 1; i < levels; i++) stated = [stated]
    expect(verifying(`---\n${block}\n---`, { a: stated })).toBe(expected)
  })

  it.each<[string, JsonObject, boolean]>([
    ['a: [1, 2]', { a: [1, 2] }, true],
    ['a: [1, 2]', { a: [1] }, false],
    ['a: [1]', { a: [1, 2] }, false],
    ['a: [1]', { a: { 0: 1 } }, false],
    ['a: {b: 1}', { a: [1] }, false],
    ['a: {b: 1}', { a: { b: 1 } }, true],
    ['a: {b: 1}', { a: { c: 1 } }, false],
    ['a: {b: 1}', { a: { b: 1, c: 1 } }, false],
    ['a: {b: 1, c: 1}', { a: { b: 1 } }, false],
    ['a: 1', { a: '1' }, false],
    ['a: {}', { a: null }, false],
  ])('given the YAML %s and the entry %j, matches: %j', (block, stated, same) => {
    expect(verifying(`---\n${block}\n---\n`, stated)).toBe(same ? 'none' : OTHER)
  })
})

describe('Skills', () => {
  const TEXT = '---\nname: pdf\ndescription: d\n---\n'
  const serving = (files: Record<string, string>, extension: unknown = {}, answer: JsonObject = {}) =>
    ({
      server: { capabilities: { extensions: { 'io.modelcontextprotocol/skills': extension } } },
      request: () => Promise.resolve(answer),
      readResource: (uri) => Promise.resolve({ contents: [{ uri, text: files[uri] }] }),
    }) as SkillServer // prettier-ignore
  const dynamic: Skill = { uri: URI, frontmatter, resources: 'dynamic' }

  it.each([
    [TEXT.length, 'none'],
    [TEXT.length - 1, `${URI} has more than ${TEXT.length - 1} bytes`],
  ])('limits a SKILL.md without a digest to `maxBytes`, which is %i', async (maxBytes, expected) => {
    const skills = new Skills(serving({ [URI]: TEXT }), { dynamic: 'load', maxBytes })
    const outcome = await skills.load(dynamic).then(
      () => 'none',
      ({ message }: Error) => message,
    )
    expect(outcome).toBe(expected)
  })

  it('limits the total bytes read from a skill without digests to `maxBytes`', async () => {
    const files = { [URI]: TEXT, [`${ROOT}/a.md`]: 'abcd' }
    const loaded = (maxBytes: number) =>
      new Skills(serving(files), { dynamic: 'load', maxBytes }).load(dynamic)
    const exact = await loaded(TEXT.length + 4)
    expect((await exact.read('a.md')).text()).toBe('abcd')
    await expect((await loaded(TEXT.length + 3)).read('a.md')).rejects.toThrow(
      `${URI} has sent more than ${TEXT.length + 3} bytes`,
    )
    for (const reference of ['/a.md', 'http://a', '..', 'b/../../a.md', '\uD800'])
      await expect(exact.read(reference)).rejects.toMatchObject({ reason: 'unlisted' })
  })

  it('loads a skill whose files total `maxBytes`, and rejects a larger one', async () => {
    const digest = await digestOf(new TextEncoder().encode(TEXT))
    const skill = (size: number): Skill => ({
      uri: URI,
      frontmatter,
      resources: [
        { uri: URI, digest, size: TEXT.length },
        { uri: `${ROOT}/a`, digest: DIGEST, size },
      ],
    })
    const skills = new Skills(serving({ [URI]: TEXT }), { maxBytes: TEXT.length + 5 })
    expect((await skills.load(skill(5))).document).toBe(TEXT)
    await expect(skills.load(skill(6))).rejects.toMatchObject({ reason: 'too-large' })
  })

  it('offers skills only if the server has declared the extension', async () => {
    expect([new Skills(serving({})).offered, new Skills(serving({}, 5)).offered]).toEqual([true, false])
    for (const ask of [
      (skills: Skills) => skills.list(),
      (skills: Skills) => skills.get(URI),
      (skills: Skills) => skills.load(dynamic),
      (skills: Skills) => skills.readDirectory(ROOT),
    ])
      await expect(ask(new Skills(serving({}, 5), { dynamic: 'load' }))).rejects.toThrow(
        'The server has not declared the skills extension',
      )
  })

  it('lists a folder without its malformed entries, but only if the server has declared directoryRead', async () => {
    const resources = [{ uri: `${ROOT}/a` }, { uri: 5 }, null]
    const skills = new Skills(serving({}, { directoryRead: true }, { resources }))
    expect(await skills.readDirectory(ROOT)).toEqual([{ uri: `${ROOT}/a` }])
    const other = new Skills(serving({}, { directoryRead: 'yes' }, { resources }))
    await expect(other.readDirectory(ROOT)).rejects.toThrow('The server has not declared directoryRead')
    const none = new Skills(serving({}, { directoryRead: true }))
    await expect(none.readDirectory(ROOT)).rejects.toThrow('it has no list "resources"')
  })
})
