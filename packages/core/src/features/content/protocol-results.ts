import { type JsonSchema, resolveLocal } from '@jetway/json-schema'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../../protocol/types.ts'
import { describeIssues } from '../../schema/issues.ts'
import type { CompiledOutput } from '../../schema/types.ts'
import { describeLoss, findJsonLoss } from '../../schema/validate/json-losses.ts'
import { isBase64 } from '../../util/bytes.ts'
import { isPromiseLike } from '../../util/promises.ts'

/** Returns a description of valid values, or undefined if the value is valid. */
type Rule = (value: unknown) => string | undefined
type Rules = Readonly<Record<string, Rule>>

const rule =
  (holds: (value: unknown) => boolean, expected: string): Rule =>
  (value) => {
    if (holds(value)) return undefined
    return isPromiseLike(value) ? `${expected}, not a promise: await it` : expected
  }
const any: Rule = () => undefined
const object = rule(isObject, 'an object')
const flag = rule((value) => typeof value === 'boolean', 'true or false')
const text = rule((value) => typeof value === 'string', 'a string')
const base64 = rule((value) => typeof value === 'string' && isBase64(value), 'padded base64')
const uri = rule((value) => typeof value === 'string' && URL.canParse(value), 'an absolute URI')
const role = rule((value) => value === 'user' || value === 'assistant', '"user" or "assistant"')
const lossless: Rule = (value) => {
  const loss = isObject(value) && findJsonLoss(value)
  return loss ? `JSON: ${describeIssues([loss])}` : object(value)
}
const optional =
  (of: Rule): Rule =>
  (value) =>
    value === undefined ? undefined : of(value)

const META: Rules = { _meta: optional(lossless) }
const BLOCK: Rules = { annotations: optional(lossless), ...META }
const BLOCKS: ReadonlyMap<unknown, Rules> = new Map<unknown, Rules>([
  ['text', { text, ...BLOCK }],
  ['image', { data: base64, mimeType: text, ...BLOCK }],
  ['audio', { data: base64, mimeType: text, ...BLOCK }],
  ['resource_link', { uri, name: text, ...BLOCK }],
  ['resource', { resource: object, ...BLOCK }],
])
const CONTENTS: Rules = { uri, mimeType: optional(text), ...META }

/** The path of an invalid member and the rule that the member violates; undefined if all members are valid. */
type Problem = string | undefined

function memberProblem(value: unknown, rules: Rules, path: string): Problem {
  if (!isObject(value)) return `${path} must be ${object(value)}`
  for (const [name, check] of Object.entries(rules)) {
    const expected = check(value[name])
    if (expected !== undefined) return `${path}.${name} must be ${expected}`
  }
  return undefined
}

const unknownType: Rules = { type: () => `one of ${[...BLOCKS.keys()].join(', ')}` }

function blockProblem(block: unknown, path: string): Problem {
  const type = isObject(block) ? block['type'] : undefined
  const problem = memberProblem(block, BLOCKS.get(type) ?? unknownType, path)
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
  /** The members of a result other than its list, with the rules that they must follow. */
  readonly members: Rules
  /** Returns the problem with an item, or undefined. */
  readonly problem: (item: unknown, path: string) => Problem
}

const TOOL_RESULT: ResultForm = {
  list: 'content',
  members: { structuredContent: any, isError: optional(flag), resultType: any, ...META },
  problem: blockProblem,
}
const RESOURCE_RESULT: ResultForm = {
  list: 'contents',
  members: { ttlMs: any, cacheScope: any, resultType: any, ...META },
  problem: contentsProblem,
}
const PROMPT_RESULT: ResultForm = {
  list: 'messages',
  members: { description: optional(text), resultType: any, ...META },
  problem: messageProblem,
}

/**
 * Recognises a protocol result in a tool's return value. Returns undefined for other values, which are data.
 *
 * @throws OutputError with the path of the problem if the value is almost a result
 */
export function protocolToolResult(
  value: unknown,
  source: string,
  output: Pick<CompiledOutput, 'jsonSchema'> | undefined,
): CallToolResult | undefined {
  if (!isObject(value)) return undefined
  const { content, structuredContent, isError } = value
  if (content === undefined && structuredContent === undefined && isError === undefined) return undefined
  if (output !== undefined && !isMeantAsResult(value, output)) return undefined
  return readResult(value, source, TOOL_RESULT) as CallToolResult | undefined
}

/**
 * Returns whether an object returned by a tool with an `outputSchema` is meant as a result. It is treated as a
 * structured value instead if it has other members, or if the schema declares all of its members. Many tools
 * declare only `content`, and return `{ content: [...], structuredContent: { content } }`.
 */
function isMeantAsResult(value: JsonObject, { jsonSchema }: Pick<CompiledOutput, 'jsonSchema'>): boolean {
  const { content, structuredContent, isError } = value
  if (strangers(value, TOOL_RESULT).length > 0) return false
  const isDeclared = (name: string): boolean =>
    value[name] === undefined || declares(jsonSchema, name, jsonSchema)
  if (Object.keys(value).every(isDeclared)) return false
  if (structuredContent !== undefined) return true
  if (!Array.isArray(content)) return false
  return isError === true || content.length === 0 || content.some(hasType)
}

const hasType = (item: unknown): boolean => isObject(item) && typeof item['type'] === 'string'

/**
 * Rejects blocks that no helper created and that are not part of a result, because a model should never read
 * them as JSON text. An object is considered a block if it has a block's type and only members of that type.
 *
 * @throws OutputError
 */
export function refuseBareBlocks(value: object, source: string): void {
  if (isAll(value, isBareBlock))
    throw bare(
      source,
      'content blocks',
      'return { content: [...] }, or make blocks with content.text and so on',
    )
}

/** Recognises a resource result, which may contain cache hints. */
export const protocolResourceResult = (value: unknown, source: string): ReadResourceResult | undefined =>
  isObject(value) && value['contents'] !== undefined
    ? (readResult(value, source, RESOURCE_RESULT) as ReadResourceResult | undefined)
    : undefined

/** Recognises a prompt result. */
export const protocolPromptResult = (value: unknown, source: string): GetPromptResult | undefined =>
  isObject(value) && value['messages'] !== undefined
    ? (readResult(value, source, PROMPT_RESULT) as unknown as GetPromptResult | undefined)
    : undefined

/** @throws OutputError for resource contents that are not part of a result */
export function refuseBareContents(value: unknown, source: string): void {
  if (isAll(value, (item) => hasOnly(item, CONTENTS_MEMBERS) && contentsProblem(item, '') === undefined))
    throw bare(source, 'the contents of a resource', 'return { contents: [...] }')
}

const LINK_MEMBERS = ['title', 'description', 'mimeType', 'size', 'icons']
const CONTENTS_MEMBERS: ReadonlySet<string> = new Set([...Object.keys(CONTENTS), 'text', 'blob'])
const BLOCK_MEMBERS: ReadonlyMap<unknown, ReadonlySet<string>> = new Map(
  Array.from(BLOCKS, ([type, rules]) => [
    type,
    new Set(['type', ...Object.keys(rules), ...(type === 'resource_link' ? LINK_MEMBERS : [])]),
  ]),
)

function isBareBlock(item: unknown): boolean {
  const members = isObject(item) ? BLOCK_MEMBERS.get(item['type']) : undefined
  return members !== undefined && hasOnly(item, members)
}

const hasOnly = (item: unknown, members: ReadonlySet<string>): boolean =>
  isObject(item) && Object.keys(item).every((name) => members.has(name))

const isAll = (value: unknown, is: (item: unknown) => boolean): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(is) : is(value)

const bare = (source: string, given: string, remedy: string): OutputError =>
  new OutputError(
    `${source} returned ${given} without a result; ${remedy}, or JSON.stringify(value) if it is data`,
  )

/** Returns the members that do not belong to a result. */
const strangers = (value: JsonObject, { list, members }: ResultForm): readonly string[] =>
  Object.keys(value).filter(
    (name) => name !== list && !Object.hasOwn(members, name) && value[name] !== undefined,
  )

/**
 * Returns the value if it is a result. An object with other members is data, unless all items of its list are
 * valid.
 */
function readResult(value: JsonObject, source: string, form: ResultForm): object | undefined {
  const [stranger] = strangers(value, form)
  const problem = listProblem(value, form)
  if (stranger === undefined) {
    const found = problem ?? memberProblem(value, form.members, '')?.slice(1)
    if (found !== undefined) throw faulty(source, found)
    return value
  }
  const isEmpty = (value[form.list] as readonly unknown[] | undefined)?.length === 0
  if (problem !== undefined || isEmpty) return undefined
  throw faulty(source, `${JSON.stringify(stranger)} is not a member of a result`)
}

function listProblem(value: JsonObject, { list, problem }: ResultForm): Problem {
  const items = value[list]
  if (!Array.isArray(items)) return `${list} must be an array`
  for (const [index, item] of items.entries()) {
    const found = problem(item, `${list}[${index}]`)
    if (found !== undefined) return found
  }
  return undefined
}

const faulty = (source: string, problem: string): OutputError =>
  new OutputError(
    `${source} returned a result in which ${problem}; correct it, or return JSON.stringify(value) if it is data`,
  )

/** Returns whether a schema declares a property at its root. */
function declares(schema: unknown, name: string, root: JsonSchema, seen = new Set<unknown>()): boolean {
  if (!isObject(schema) || seen.has(schema)) return false
  seen.add(schema)
  const { properties, $ref } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return true
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schema[keyword] ?? [])
  const target = typeof $ref === 'string' ? resolveLocal(root, $ref) : undefined
  return [...parts, target].some((part) => declares(part, name, root, seen))
}

/**
 * Thrown if a handler returns a value that cannot be sent. The error is logged, and the peer receives a generic
 * message.
 */
export class OutputError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutputError'
    // The stack is omitted, because all of its frames would be in Jetway's own code.
    this.stack = `${this.name}: ${message}`
  }
}

/** @throws OutputError with the path of a part that JSON cannot represent */
export function stringify(value: unknown, source: string): string {
  const json = tryStringify(value, source)
  if (json === undefined)
    throw new OutputError(`${source} returned a value of type ${typeof value}, which JSON cannot carry`)
  refuseLosses(value, source)
  return json
}

/**
 * Like {@link stringify}, but returns undefined for a value that JSON omits, and does not search for parts
 * that JSON would lose.
 */
export function tryStringify(value: unknown, source: string): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new OutputError(`${source} returned a value that JSON cannot carry${describeLoss(value)}`, {
      cause,
    })
  }
}

/** @throws OutputError with the path of a part that JSON would lose */
export function refuseLosses(value: unknown, source: string): void {
  const loss = findJsonLoss(value)
  if (loss === undefined) return
  const cause = value instanceof Error ? { cause: value } : undefined
  throw new OutputError(`${source} returned a value that JSON cannot carry: ${describeIssues([loss])}`, cause)
}
