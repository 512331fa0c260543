import type { Skill, SkillResource } from './types.ts'
import { isObject } from '@jetway/core/protocol'
import { SkillRefusedError } from './errors.ts'

const DOCUMENT = '/SKILL.md'
const DIGEST = /^sha256:[0-9a-f]{64}$/

/** Returns the URI of a skill's folder, without a trailing slash. */
export const rootOf = ({ uri }: Pick<Skill, 'uri'>): string => uri.slice(0, -DOCUMENT.length)

/**
 * Validates an entry.
 *
 * @throws SkillRefusedError `malformed`
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx#skill-entries
 */
export function readEntry(entry: unknown): Skill {
  if (!isObject(entry) || typeof entry['uri'] !== 'string')
    throw malformed('A skill', 'has an entry without a uri')
  const { uri, frontmatter, resources } = entry
  const refuse = (problem: string): SkillRefusedError => malformed(uri, problem)
  if (!uri.endsWith(DOCUMENT)) throw refuse('is not the URI of a SKILL.md')
  if (!isObject(frontmatter)) throw refuse('has an entry without frontmatter')
  const { name, description } = frontmatter
  if (typeof name !== 'string' || typeof description !== 'string')
    throw refuse('has an entry without a name and a description')
  const root = rootOf({ uri })
  if (root.slice(root.lastIndexOf('/') + 1) !== name)
    throw refuse(`is named ${JSON.stringify(name.slice(0, 64))}, but its folder is not`)
  if (resources === 'dynamic') return { uri, frontmatter, resources }
  if (!Array.isArray(resources)) throw refuse('has an entry that does not list its files')
  return { uri, frontmatter, resources: readFiles(resources, uri, refuse) }
}

function readFiles(
  listed: readonly unknown[],
  document: string,
  refuse: (problem: string) => SkillRefusedError,
): readonly SkillResource[] {
  const root = rootOf({ uri: document })
  const files = new Map<string, SkillResource>()
  for (const file of listed) {
    if (!isResource(file)) throw refuse('lists a file without a uri, a size or a SHA-256 digest')
    const { uri, digest, size } = file
    if (!isInside(root, uri)) throw refuse(`lists ${uri.slice(0, 256)}, which is outside its folder`)
    if (files.has(uri)) throw refuse(`lists ${uri.slice(0, 256)} twice`)
    files.set(uri, { uri, digest, size })
  }
  if (!files.has(document)) throw refuse('does not list its SKILL.md')
  return [...files.values()]
}

function isResource(file: unknown): file is SkillResource {
  if (!isObject(file)) return false
  const { uri, digest, size } = file
  const counted = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0
  return typeof uri === 'string' && typeof digest === 'string' && DIGEST.test(digest) && counted
}

/** Returns whether a URI stays inside the folder, even on Windows and with encoded characters. */
export function isInside(root: string, uri: string): boolean {
  if (!uri.startsWith(`${root}/`)) return false
  const segments = uri.slice(root.length + 1).split('/')
  return segments.every(
    (segment) => segment !== '' && !/^(?:\.|%2e){1,2}$|[\\\0]|%(?:2f|5c|00)/i.test(segment),
  )
}

const malformed = (uri: string, problem: string) => new SkillRefusedError('malformed', uri, problem)
