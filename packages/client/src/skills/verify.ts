import { isObject, type JsonObject, type ReadResourceResult } from '@jetway/core/protocol'
import type { Skill, SkillResource } from './types.ts'
import { parse } from 'yaml'
import { SkillRefusedError } from './errors.ts'

const MAX_FRONTMATTER = 65_536
const MAX_DEPTH = 64

/** Returns the bytes of a file. @throws SkillRefusedError `unreadable` */
export function bytesOf(uri: string, { contents }: ReadResourceResult): Uint8Array<ArrayBuffer> {
  const content = contents.find((each) => each.uri === uri) as JsonObject | undefined
  if (typeof content?.['text'] === 'string') return new TextEncoder().encode(content['text'])
  const blob = content?.['blob']
  if (typeof blob !== 'string') throw unreadable(uri, 'was answered without its content')
  try {
    return Uint8Array.from(atob(blob), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw unreadable(uri, 'was answered with invalid Base64', cause)
  }
}

/**
 * Verifies a file against its entry.
 *
 * @throws SkillRefusedError `size`, `digest`
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx#verification-on-read
 */
export async function verifyFile(
  { uri, digest, size }: SkillResource,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  if (bytes.length !== size)
    throw new SkillRefusedError('size', uri, `has ${bytes.length} bytes, but the entry says ${size}`)
  if ((await digestOf(bytes)) !== digest)
    throw new SkillRefusedError('digest', uri, 'does not match the digest of the entry')
}

export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/**
 * Verifies the frontmatter of a `SKILL.md` against the entry, because the model must read exactly what the user
 * approved.
 *
 * @throws SkillRefusedError `frontmatter`, `unreadable`
 * @see
 * https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx#frontmatter-verification
 */
export function verifyDocument({ uri, frontmatter }: Skill, bytes: Uint8Array): void {
  const block = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(toText(uri, bytes))?.[1]
  if (block === undefined || block.length > MAX_FRONTMATTER)
    throw new SkillRefusedError('frontmatter', uri, 'does not begin with valid frontmatter')
  if (!isSame(readYaml(uri, block), frontmatter, 0))
    throw new SkillRefusedError('frontmatter', uri, 'has frontmatter that does not match its entry')
}

function readYaml(uri: string, block: string): unknown {
  try {
    return parse(block, { version: '1.2', schema: 'core', logLevel: 'error' })
  } catch (cause) {
    throw new SkillRefusedError('frontmatter', uri, 'has frontmatter that is not YAML', { cause })
  }
}

export function toText(uri: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw unreadable(uri, 'is not UTF-8', cause)
  }
}

function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at], depth + 1))
    )
  if (!isObject(a) || !isObject(b)) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key], depth + 1))
  )
}

const unreadable = (uri: string, problem: string, cause?: unknown): SkillRefusedError =>
  new SkillRefusedError('unreadable', uri, problem, { cause })
