import { readFileSync } from 'node:fs'
import process from 'node:process'
import { isObject, type JsonObject, type JsonValue } from '@jetway/core/protocol'
import { usageError } from '../errors.ts'
import { unknownName } from '../unknown-name.ts'

export interface GivenArguments {
  /** `--args` */
  readonly text: string | undefined
  /** The value of `--args-file`. `-` means stdin. */
  readonly file: string | undefined
  /** `name=text` or `name:=json`. */
  readonly words: readonly string[]
}

/**
 * Reads the arguments of a call. `--args` overrides the file, and positional arguments override both. The text
 * of a positional argument is converted to the type given in the schema.
 *
 * @throws CliError `usage`
 */
export function readArguments({ text, file, words }: GivenArguments, schema: JsonObject): JsonObject {
  const args: Record<string, unknown> = {
    ...(file !== undefined && parseObject(readFile(file), '--args-file')),
    ...(text !== undefined && parseObject(text, '--args')),
  }
  const repeated = new Set<string>()
  for (const word of words) {
    const { name, value, isJson } = splitWord(word)
    const type = propertyOf(schema, name)
    const parsed = isJson ? parseJson(value, name) : withType(value, name, type)
    const before = args[name]
    // `tag=a tag=b` becomes a list if the schema expects a list.
    const isList = !isJson && repeated.has(name) && Array.isArray(before) && Array.isArray(parsed)
    args[name] = isList ? [...before, ...parsed] : parsed
    repeated.add(name)
  }
  return args
}

/** Keywords that allow a schema to accept members that are not in its `properties`. */
const OPEN = [
  'patternProperties',
  'unevaluatedProperties',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  '$dynamicRef',
  'if',
]

/**
 * Returns the names of the arguments that a schema declares. Undefined if the schema may accept other
 * arguments.
 */
export function declaredNames(schema: JsonObject): readonly string[] | undefined {
  const { properties, additionalProperties = false } = schema
  if (additionalProperties !== false || !isObject(properties)) return undefined
  return OPEN.some((keyword) => schema[keyword] !== undefined) ? undefined : Object.keys(properties)
}

/** Checks the names of arguments, because servers may drop unknown ones. @throws CliError `usage` */
export async function checkNames(args: JsonObject, known: readonly string[] | undefined): Promise<void> {
  const wrong = Object.keys(args).find((name) => known?.includes(name) === false)
  if (wrong !== undefined) throw await unknownName('The argument', wrong, known ?? [])
}

function splitWord(word: string): {
  readonly name: string
  readonly value: string
  readonly isJson: boolean
} {
  const at = word.indexOf('=')
  if (at <= 0 || word.startsWith(':='))
    throw usageError(`${word} is not an argument`, 'Write name=text, or name:=json for other values')
  const isJson = word[at - 1] === ':'
  return { name: word.slice(0, isJson ? at - 1 : at), value: word.slice(at + 1), isJson }
}

function propertyOf(schema: JsonObject, name: string): JsonObject {
  const { properties } = schema
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(property) ? property : {}
}

/**
 * Converts text to the type given in the schema. Text that does not match the type is left unchanged, so that
 * the server reports the error.
 */
function withType(text: string, name: string, schema: JsonObject): JsonValue {
  const types = typesOf(schema)
  if (types.length === 0 || types.includes('string')) return text
  if (
    types.some((type) => type === 'number' || type === 'integer') &&
    text.trim() !== '' &&
    Number.isFinite(Number(text))
  )
    return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  if (types.includes('null') && text === 'null') return null
  if (types.includes('array')) return listOf(text, name, schema)
  if (types.includes('object')) return parseJson(text, name)
  return text
}

function listOf(text: string, name: string, { items }: JsonObject): JsonValue {
  if (text.trimStart().startsWith('[')) return parseJson(text, name)
  return [withType(text, name, isObject(items) ? items : {})]
}

/** Returns the types that a schema and its branches allow. An empty set means any type. */
function typesOf({ type, anyOf, oneOf, enum: values }: JsonObject): readonly string[] {
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.map(String)
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return branches.flatMap((each) => (isObject(each) ? typesOf(each) : []))
  return Array.isArray(values) ? [...new Set(values.map((value) => typeof value))] : []
}

function parseJson(text: string, name: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw usageError(`The value of ${name} is not valid JSON`, `Write ${name}=text for text`)
  }
}

function parseObject(text: string, option: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw usageError(`${option} is not valid JSON`)
  }
  if (!isObject(value)) throw usageError(`${option} must be a JSON object`)
  return value
}

function readFile(file: string): string {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8')
  } catch (error) {
    throw usageError(
      `The file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
    )
  }
}
