import { isObject, type JsonObject } from '@jetway/core/protocol'
import { fault, invalid, type Subject } from './checks.ts'
import type { AnySkill } from './skill-types.ts'

/** https://agentskills.io/specification#name-field */
const NAME = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const MAX_DESCRIPTION = 1024
const LONE_SURROGATE = /\p{Surrogate}/u
const DOCUMENT = /^---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/

/** Copies a skill's frontmatter, and puts the name and description first. */
export function frontmatterOf(subject: Subject, skill: AnySkill): JsonObject {
  const { name, description, frontmatter = {} } = skill
  if (typeof name !== 'string' || !NAME.test(name))
    throw fault(
      subject,
      'ERR_MCP_INVALID_NAME',
      'needs a name of 1 to 64 characters of a-z, 0-9 and "-", without a hyphen at either end or two in a row',
    )
  if (typeof description !== 'string' || description.trim() === '' || description.length > MAX_DESCRIPTION)
    throw invalid(subject, `needs a description of 1 to ${MAX_DESCRIPTION} characters`)
  if (!isObject(frontmatter)) throw invalid(subject, 'needs an object as its frontmatter')
  if ('name' in frontmatter || 'description' in frontmatter)
    throw invalid(subject, 'has its name and description outside its frontmatter; move them into it')
  return toJson(subject, { name, description, ...frontmatter })
}

function toJson(subject: Subject, fields: object): JsonObject {
  if (!isPlainJson(fields)) throw invalid(subject, 'has frontmatter that is not plain JSON')
  const copy = JSON.parse(JSON.stringify(fields)) as JsonObject
  if (!isWellFormed(copy)) throw invalid(subject, 'has frontmatter with half of a surrogate pair')
  return copy
}

/**
 * Returns whether JSON preserves a value: it contains no functions, dates, undefined properties or special
 * numbers.
 */
function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return Array.from(value as readonly unknown[]).every(isPlainJson)
  if (typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    (prototype === Object.prototype || prototype === null) &&
    !('toJSON' in value) &&
    Object.values(value).every(isPlainJson)
  )
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !LONE_SURROGATE.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, item]) => !LONE_SURROGATE.test(key) && isWellFormed(item))
}

/** Rejects lone surrogates, which UTF-8 cannot encode, so that the client's text would not match the digest. */
export const isUnicode = (text: string): boolean => !LONE_SURROGATE.test(text)

/** Writes JSON that is also valid YAML: characters that YAML 1.1 forbids or reads as line breaks are escaped. */
export function writeDocument(frontmatter: JsonObject, instructions: string): string {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${toYaml(key)}: ${toYaml(value)}\n`)
  return `---\n${lines.join('')}---\n\n${instructions}`
}

const toYaml = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Returns whether a `SKILL.md` begins with frontmatter, without checking the fields. */
export const hasFrontmatter = (text: string): boolean => DOCUMENT.test(text)
