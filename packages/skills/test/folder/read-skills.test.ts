import { requestMeta } from '@jetway-apps/test-support'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSkills } from '../../src/folder/index.ts'
import { skills } from '../../src/index.ts'

const document = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: What ${name} does\n${more}---\n\n# ${name}\n`

/** Creates a folder that contains these files. */
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = mkdtempSync(join(tmpdir(), 'jetway-skills-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) put(join(path, name), content)
  return path
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

async function pathsOf(path: string): Promise<Record<string, readonly string[]>> {
  const found = await readSkills(path)
  return Object.fromEntries(found.map((skill) => [skill.path, Object.keys(skill.files ?? {})]))
}

const refusal = (message: RegExp): unknown =>
  expect.objectContaining({
    code: 'ERR_MCP_INVALID_DEFINITION',
    message: expect.stringMatching(message) as string,
  })

describe('readSkills', () => {
  it('reads every folder with a SKILL.md, at any depth, in path order', async () => {
    const path = folder({
      'README.md': 'no skill',
      'git/SKILL.md': document('git'),
      'git/references/NAMES.md': 'names',
      'acme/billing/refunds/SKILL.md': document('refunds'),
      'acme/billing/notes.md': 'no skill either',
    })
    expect(await pathsOf(path)).toEqual({
      'acme/billing/refunds': ['SKILL.md'],
      git: ['SKILL.md', 'references/NAMES.md'],
    })
  })

  it('reads a nested skill as a separate skill with files of its own', async () => {
    const path = folder({
      'outer/SKILL.md': document('outer'),
      'outer/inner/SKILL.md': document('inner'),
      'outer/inner/a.md': 'a',
      'outer/b.md': 'b',
    })
    expect(await pathsOf(path)).toEqual({
      outer: ['SKILL.md', 'b.md'],
      'outer/inner': ['SKILL.md', 'a.md'],
    })
    const extension = skills({ skills: await readSkills(path) })
    const server = new McpServer({ name: 's', version: '1' }, { extensions: [extension] })
    const [, listed] = (await ask(server, 'skills/list'))['skills'] as { resources: { uri: string }[] }[]
    expect(listed?.resources).toHaveLength(2)
  })

  it('reads a folder that is itself a skill, including its nested skills', async () => {
    const path = folder({
      'tax/SKILL.md': document('tax'),
      'tax/rates/SKILL.md': document('rates'),
    })
    expect(await pathsOf(join(path, 'tax'))).toEqual({ tax: ['SKILL.md'], 'tax/rates': ['SKILL.md'] })
  })

  it('reads all frontmatter fields as YAML 1.2, and preserves every byte of the files', async () => {
    const more = 'license: MIT\nsince: 2024-01-01\nyes: on\nmetadata:\n  tags: [a, "b"]\n  depth: 0o17\n'
    const text = document('verbatim', more).replaceAll('\n', '\r\n')
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const path = folder({ 'verbatim/SKILL.md': text, 'verbatim/all.bin': bytes })
    const [skill] = await readSkills(path)
    expect(skill).toMatchObject({
      name: 'verbatim',
      description: 'What verbatim does',
      frontmatter: {
        license: 'MIT',
        since: '2024-01-01',
        yes: 'on',
        metadata: { tags: ['a', 'b'], depth: 15 },
      },
    })
    const extension = skills({ skills: skill === undefined ? [] : [skill] })
    const server = new McpServer({ name: 's', version: '1' }, { extensions: [extension] })
    const [entry] = (await ask(server, 'skills/list'))['skills'] as [
      { resources: { uri: string; digest: string; size: number }[] },
    ]
    const sha256 = (content: string | Uint8Array): string =>
      `sha256:${createHash('sha256').update(content).digest('hex')}`
    expect(entry.resources).toEqual([
      { uri: 'skill://verbatim/SKILL.md', digest: sha256(text), size: text.length },
      { uri: 'skill://verbatim/all.bin', digest: sha256(bytes), size: 256 },
    ])
  })

  it('reads changed files only when it is called again', async () => {
    const path = folder({ 'git/SKILL.md': document('git') })
    const library = skills({ skills: await readSkills(path) })
    const server = new McpServer({ name: 's', version: '1' }, { extensions: [library] })
    const uris = async (): Promise<readonly string[]> =>
      ((await ask(server, 'skills/list'))['skills'] as { uri: string }[]).map(({ uri }) => uri)
    put(join(path, 'new/SKILL.md'), document('new'))
    expect(await uris()).toEqual(['skill://git/SKILL.md'])
    library.set(await readSkills(path))
    expect(await uris()).toEqual(['skill://git/SKILL.md', 'skill://new/SKILL.md'])
  })

  it('skips names that begin with a dot, and entries that are neither files nor folders', async () => {
    const path = folder({
      'git/SKILL.md': document('git'),
      'git/.env': 'SECRET=1',
      'git/.git/config': 'x',
      '.hidden/SKILL.md': document('hidden'),
    })
    const socket = createServer().listen(join(path, 'git/socket'))
    onTestFinished(() => void socket.close())
    await once(socket, 'listening')
    expect(await pathsOf(path)).toEqual({ git: ['SKILL.md'] })
  })

  it('returns an empty list if there are no skills', async () => {
    expect(await readSkills(folder({ 'a/README.md': 'x' }))).toEqual([])
  })

  it('rejects if the folder is missing', async () => {
    await expect(readSkills(join(folder({}), 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('symbolic links', () => {
  it('are followed within the folder', async () => {
    const path = folder({ 'git/SKILL.md': document('git'), 'shared/NAMES.md': 'names' })
    symlinkSync('../shared', join(path, 'git/references'))
    expect(await pathsOf(path)).toEqual({ git: ['SKILL.md', 'references/NAMES.md'] })
  })

  it.each(['file', 'folder'])('are rejected if they point to a %s outside the folder', async (kind) => {
    const secret = folder({ 'secret/key.md': 'secret' })
    const path = folder({ 'git/SKILL.md': document('git') })
    symlinkSync(join(secret, kind === 'file' ? 'secret/key.md' : 'secret'), join(path, 'git/out'))
    await expect(readSkills(path)).rejects.toThrow(refusal(/git.out is a link that leads out/))
  })

  it("are rejected if they point to a sibling folder whose name starts with the folder's name", async () => {
    const path = folder({ 'skills/git/SKILL.md': document('git'), 'skills-private/key.md': 'secret' })
    symlinkSync('../../skills-private/key.md', join(path, 'skills/git/key.md'))
    await expect(readSkills(join(path, 'skills'))).rejects.toThrow(refusal(/leads out/))
  })

  it('are rejected if they form a cycle', async () => {
    const path = folder({ 'git/SKILL.md': document('git') })
    symlinkSync('..', join(path, 'git/again'))
    await expect(readSkills(path)).rejects.toThrow(
      refusal(/git.again is a link to a folder that contains it/),
    )
  })

  it('are rejected if their target does not exist', async () => {
    const path = folder({ 'git/SKILL.md': document('git') })
    symlinkSync('nothing', join(path, 'git/gone'))
    await expect(readSkills(path)).rejects.toThrow(refusal(/git.gone cannot be read/))
  })

  it('may point to the given folder itself', async () => {
    const path = folder({ 'skills/git/SKILL.md': document('git') })
    symlinkSync('skills', join(path, 'link'))
    expect(await pathsOf(join(path, 'link'))).toEqual({ git: ['SKILL.md'] })
  })
})

describe('an invalid SKILL.md', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['no frontmatter', '# Git\n', /does not begin with frontmatter/],
    ['frontmatter that does not end', '---\nname: git\n', /does not begin with frontmatter/],
    ['a byte order mark before it', `\ufeff${document('git')}`, /does not begin with frontmatter/],
    ['invalid YAML', '---\na: [\n---\n', /invalid YAML/],
    ['a duplicate field', '---\nname: git\nname: git\ndescription: a\n---\n', /invalid YAML/],
    ['a list', '---\n- git\n---\n', /not a mapping/],
    ['a string', '---\ngit\n---\n', /not a mapping/],
    ['an empty document', '---\n\n---\n', /not a mapping/],
    ['a mapping that does not end', '---\na: {\n---\n', /frontmatter: \w.{10}/],
    ['no description', '---\nname: git\n---\n', /has no name or no description/],
    ['a name that is a number', '---\nname: 1\ndescription: a\n---\n', /has no name or no description/],
    ['a name that differs from its folder', document('other'), /give its folder the same name/],
    ['another encoding', new Uint8Array([0xff, 0xfe]), /not UTF-8/],
    ['frontmatter that is too long', document('git', `note: ${'x'.repeat(65_536)}\n`), /more than 65536/],
    ['aliases that multiply', document('git', bomb()), /invalid YAML|more than/],
  ])('leads to an error that names the file and the problem: %s', async (_, content, message) => {
    const path = folder({ 'git/SKILL.md': content })
    await expect(readSkills(path)).rejects.toThrow(refusal(message))
    await expect(readSkills(path)).rejects.toThrow(join(path, 'git', 'SKILL.md'))
  })
})

/** Returns YAML in which each line contains the previous one ten times. */
function bomb(): string {
  const line = (index: number): string =>
    `a${index}: &a${index} [${Array.from({ length: 10 }, () => `*a${index - 1}`).join(', ')}]\n`
  return `a0: &a0 x\n${Array.from({ length: 9 }, (_, index) => line(index + 1)).join('')}`
}

describe('the limits of readSkills', () => {
  it('reject a folder that is too deep or too large, or that has too many files', async () => {
    const path = folder({ 'a/b/c/SKILL.md': document('c'), 'a/b/c/large.md': 'x'.repeat(2000) })
    await expect(readSkills(path, { maxDepth: 2 })).rejects.toThrow(refusal(/deeper than 2/))
    await expect(readSkills(path, { maxFiles: 4 })).rejects.toThrow(refusal(/more than 4/))
    await expect(readSkills(path, { maxBytes: 2000 })).rejects.toThrow(refusal(/more than 2000 bytes/))
    expect(await readSkills(path, { maxDepth: 3, maxFiles: 5, maxBytes: 3000 })).toHaveLength(1)
  })

  it('allow a folder that is exactly at the limits', async () => {
    const text = document('c')
    const path = folder({ 'a/c/SKILL.md': text })
    expect(await readSkills(path, { maxDepth: 2, maxFiles: 3, maxBytes: text.length })).toHaveLength(1)
    await expect(readSkills(path, { maxBytes: text.length - 1 })).rejects.toThrow(refusal(/more than/))
    expect(await readSkills(folder({}), { maxDepth: 1, maxFiles: 1, maxBytes: 1 })).toEqual([])
  })

  it('are 16 levels of folders and 64 MiB by default', async () => {
    const path = folder({ [`${'a/'.repeat(15)}c/SKILL.md`]: document('c') })
    expect(await readSkills(path)).toHaveLength(1)
    put(join(path, `${'a/'.repeat(17)}b`), '')
    await expect(readSkills(path)).rejects.toThrow(refusal(/deeper than 16 folders/))
    const large = folder({ 'git/SKILL.md': document('git'), 'git/large.bin': '' })
    truncateSync(join(large, 'git/large.bin'), 64 * 1024 * 1024 + 1 - document('git').length)
    await expect(readSkills(large)).rejects.toThrow(refusal(/more than 67108864 bytes/))
  })

  it('allow frontmatter of up to 65,536 characters', async () => {
    const fields = 'name: git\ndescription: a\nnote: '
    const text = `---\n${fields}${'x'.repeat(65_536 - fields.length)}\n---\n`
    expect(await readSkills(folder({ 'git/SKILL.md': text }))).toHaveLength(1)
  })

  it.each(['maxDepth', 'maxFiles', 'maxBytes'])(
    'are rejected with ERR_MCP_OPTION if %s is invalid',
    async (name) => {
      await expect(readSkills(folder({}), { [name]: 0 })).rejects.toMatchObject({ code: 'ERR_MCP_OPTION' })
    },
  )
})

async function ask(server: McpServer, method: string): Promise<Record<string, unknown>> {
  const _meta = requestMeta()
  const answer = await server.handleMessage({ jsonrpc: '2.0', id: 1, method, params: { _meta } })
  return (JSON.parse(answer ?? '') as { result: Record<string, unknown> }).result
}
