import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../../protocol/types.ts'
import type { JsonSchema } from '../../schema/types.ts'
import { isBase64 } from '../../util/bytes.ts'
import { OutputError } from './output-error.ts'

type Rule = readonly [holds: (value: unknown) => boolean, expected: string]
type Rules = Readonly<Record<string, Rule>>

const any: Rule = [() => true, '']
const object: Rule = [isObject, 'an object']
const flag: Rule = [(value) => typeof value === 'boolean', 'true or false']
const text: Rule = [(value) => typeof value === 'string', 'a string']
const base64: Rule = [(value) => typeof value === 'string' && isBase64(value), 'padded base64']
const uri: Rule = [(value) => typeof value === 'string' && URL.canParse(value), 'an absolute URI']
const role: Rule = [(value) => value === 'user' || value === 'assistant', '"user" or "assistant"']
const optional = ([holds, expected]: Rule): Rule => [(value) => value === undefined || holds(value), expected]

const META: Rules = { _meta: optional(object) }
const BLOCK: Rules = { annotations: optional(object), ...META }
const BLOCKS: ReadonlyMap<unknown, Rules> = new Map([
  ['text', { text, ...BLOCK }],
  ['image', { data: base64, mimeType: text, ...BLOCK }],
  ['audio', { data: base64, mimeType: text, ...BLOCK }],
  ['resource_link', { uri, name: text, ...BLOCK }],
  ['resource', { resource: object, ...BLOCK }],
])
const CONTENTS: Rules = { uri, mimeType: optional(text), ...META }

/** The path of the wrong member, and its rule; undefined if all are right. */
type Problem = string | undefined

function memberProblem(value: unknown, rules: Rules, path: string): Problem {
  if (!isObject(value)) return `${path} must be an object`
  const broken = Object.entries(rules).find(([name, [holds]]) => !holds(value[name]))
  return broken && `${path}.${broken[0]} must be ${broken[1][1]}`
}

function blockProblem(block: unknown, path: string): Problem {
  const type = isObject(block) ? block['type'] : undefined
  const rules = BLOCKS.get(type) ?? { type: [() => false, `one of ${[...BLOCKS.keys()].join(', ')}`] }
  const problem = memberProblem(block, rules, path)
  if (problem !== undefined || type !== 'resource') return problem
  return contentsProblem((block as JsonObject)['resource'], `${path}.resource`)
}

function contentsProblem(contents: unknown, path: string): Problem {
  const problem = memberProblem(contents, CONTENTS, path)
  if (problem !== undefined) return problem
  const { text: given, blob } = contents as JsonObject
  if ((given === undefined) === (blob === undefined)) return `${path} must have either text or blob`
  return memberProblem(contents, given === undefined ? { blob: base64 } : { text }, path)
}

const messageProblem = (message: unknown, path: string): Problem =>
  memberProblem(message, { role, content: object }, path) ??
  blockProblem((message as JsonObject)['content'], `${path}.content`)

interface ResultForm {
  readonly list: string
  /** The other members. An object with further members is data. */
  readonly members: Rules
  /** A list is data if no item has this member, a string. */
  readonly mark: string
  readonly problem: (item: unknown, path: string) => Problem
}

const TOOL_RESULT: ResultForm = {
  list: 'content',
  members: { structuredContent: any, isError: optional(flag), resultType: any, ...META },
  mark: 'type',
  problem: blockProblem,
}
const RESOURCE_RESULT: ResultForm = {
  list: 'contents',
  members: { ttlMs: any, cacheScope: any, resultType: any, ...META },
  mark: 'uri',
  problem: contentsProblem,
}
const PROMPT_RESULT: ResultForm = {
  list: 'messages',
  members: { description: optional(text), resultType: any, ...META },
  mark: 'role',
  problem: messageProblem,
}

/**
 * Recognises a result of the protocol in a tool's return value. Undefined for other values, which are data.
 *
 * @throws OutputError for a result with one wrong member, with its path
 */
export function protocolToolResult(
  value: unknown,
  source: string,
  outputSchema: JsonSchema | undefined,
): CallToolResult | undefined {
  if (!isObject(value)) return undefined
  const { content, structuredContent } = value
  const isList = Array.isArray(content)
  if (!isList && (content !== undefined || structuredContent === undefined)) return undefined
  // Many tools declare `content` alone, and return it as `{ content: [...], structuredContent: { content } }`.
  const isDeclared = (name: string): boolean => value[name] === undefined || declares(outputSchema, name)
  if (Object.keys(value).every(isDeclared)) return undefined
  return readResult(value, source, TOOL_RESULT) as CallToolResult | undefined
}

/** Recognises the result of a resource, which may have cache hints. */
export const protocolResourceResult = (value: unknown, source: string): ReadResourceResult | undefined =>
  isObject(value) && Array.isArray(value['contents'])
    ? (readResult(value, source, RESOURCE_RESULT) as ReadResourceResult | undefined)
    : undefined

/** Recognises the result of a prompt. */
export const protocolPromptResult = (value: unknown, source: string): GetPromptResult | undefined =>
  isObject(value) && Array.isArray(value['messages'])
    ? (readResult(value, source, PROMPT_RESULT) as unknown as GetPromptResult | undefined)
    : undefined

function readResult(value: JsonObject, source: string, form: ResultForm): object | undefined {
  const { list, members, mark, problem } = form
  if (!Object.keys(value).every((name) => name === list || Object.hasOwn(members, name))) return undefined
  const items = value[list]
  if (!Array.isArray(items)) throw faulty(source, `${list} must be an array`)
  const isMarked = (item: unknown): boolean => isObject(item) && typeof item[mark] === 'string'
  if (items.length > 0 && !items.some(isMarked)) return undefined
  const broken = Object.entries(members).find(([name, [holds]]) => !holds(value[name]))
  if (broken !== undefined) throw faulty(source, `${broken[0]} must be ${broken[1][1]}`)
  for (const [index, item] of items.entries()) {
    const found = problem(item, `${list}[${index}]`)
    if (found !== undefined) throw faulty(source, found)
  }
  return value
}

const faulty = (source: string, problem: string): OutputError =>
  new OutputError(
    `${source} returned a result in which ${problem}; correct it, or return JSON.stringify(value) if it is data`,
  )

/** Whether a schema declares a property of its root. */
function declares(schema: unknown, name: string, root: unknown = schema, seen = new Set<unknown>()): boolean {
  if (!isObject(schema) || seen.has(schema)) return false
  seen.add(schema)
  const { properties, $ref } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return true
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schema[keyword] ?? [])
  return [...parts, resolve(root, $ref)].some((part) => declares(part, name, root, seen))
}

function resolve(root: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return ref === '#' ? root : undefined
  const names = ref.slice(2).split('/')
  return names.reduce<unknown>(
    (at, name) => (isObject(at) ? at[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  )
}
