import { skills, type SkillDefinition, type SkillsOptions } from '@jetway/skills'
import { createServer, failureOf, type Limit, list, web } from './row.ts'

const HEAD = '---\nname: a\ndescription: d\n---\n'
/** A text that is close to the limit on the size of a file as JSON. */
const LARGE = 'x'.repeat(7_900_000)

const adding = (skill: Partial<SkillDefinition>): Promise<unknown> =>
  failureOf(() => skills({ skills: [{ name: 'a', description: 'd', ...skill }] }))
const withFile = (path: string, content = ''): Promise<unknown> =>
  adding({ instructions: '', files: { [path]: content } })

/** Requests the first page of a list of `count` skills. */
async function firstPage(count: number, options: Omit<SkillsOptions, 'skills'>): Promise<unknown> {
  const named = list(count, (index) => ({ name: `s${index}`, description: 'd', instructions: '' }))
  const server = createServer({ extensions: [skills({ skills: named, ...options })] })
  const { body } = await web(server).modern('skills/list')
  const { skills: page, nextCursor } = body.result as { skills?: readonly []; nextCursor?: string }
  return { skills: page?.length, more: nextCursor !== undefined }
}

const DEFINITION = { accepted: 'done', refused: { code: 'ERR_MCP_INVALID_DEFINITION' } }
const NAME = { accepted: 'done', refused: { code: 'ERR_MCP_INVALID_NAME' } }

export const SKILLS: readonly Limit[] = [
  {
    limit: 'pageSize of skills',
    most: 3,
    use: (count) => firstPage(count, { pageSize: 3 }),
    accepted: { skills: 3, more: false },
    refused: { skills: 3, more: true },
  },
  {
    limit: 'pageSize of skills, by default',
    most: 100,
    use: (count) => firstPage(count, {}),
    accepted: { skills: 100, more: false },
    refused: { skills: 100, more: true },
  },
  {
    limit: 'files of a skill',
    most: 512,
    use: (count) =>
      adding({ instructions: '', files: Object.fromEntries(list(count - 1, (i) => [`f${i}`, ''])) }),
    ...DEFINITION,
  },
  {
    limit: 'bytes of the files of a skill',
    most: 16 * 1024 * 1024,
    use: (bytes) => {
      const rest = 'x'.repeat(bytes - HEAD.length - 2 * LARGE.length)
      return adding({ files: { 'SKILL.md': HEAD, b: LARGE, c: LARGE, d: rest } })
    },
    ...DEFINITION,
  },
  {
    limit: 'bytes of a file of a skill, as JSON',
    most: 8_000_000,
    use: (bytes) => withFile('b', 'x'.repeat(bytes - '""'.length)),
    ...DEFINITION,
  },
  {
    limit: 'characters of the description of a skill',
    most: 1_024,
    use: (length) => adding({ instructions: '', description: 'x'.repeat(length) }),
    ...DEFINITION,
  },
  {
    limit: 'characters of the path of a skill',
    most: 512,
    use: (length) => {
      const path = `${'x/'.repeat(length / 2)}a`
      return adding({ instructions: '', path: length % 2 === 0 ? path.slice(0, -5) + 'xx/a' : path })
    },
    ...NAME,
  },
  {
    limit: 'characters of the path of a file of a skill',
    most: 1_024,
    use: (length) => withFile('x'.repeat(length)),
    ...NAME,
  },
  {
    limit: 'segments of the path of a file of a skill',
    most: 32,
    use: (count) => withFile(list(count, () => 'x').join('/')),
    ...NAME,
  },
  {
    limit: 'characters of the address of a file of a skill',
    most: 4_096,
    use: (length) => {
      const rest = length - 'skill://a/'.length
      return withFile('é'.repeat(rest / 6) + 'x'.repeat(rest % 6))
    },
    ...NAME,
  },
]
