import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '@jetway/core/protocol'
import { createValidator, type JsonSchema, resolveLocal, type ValidationError } from '@jetway/json-schema'
import { CliError } from '../errors.ts'
import { nearest } from '../parse.ts'
import { readRegularFile } from '../regular-file.ts'
import { jetwaySchema } from '../schema-files.ts'

/** An environment variable that the server reads. */
export interface Setting {
  readonly title: string
  readonly description: string
  readonly type?: 'string' | 'number' | 'boolean' | 'directory' | 'file'
  readonly secret?: boolean
  readonly required?: boolean
  readonly default?: string | number | boolean
}

/** A value for which a client asks the user. */
export interface RemoteInput {
  readonly description?: string
  readonly secret?: boolean
  readonly required?: boolean
  readonly default?: string
  readonly choices?: readonly string[]
  readonly value?: string
}

/** A URL at which the server is served. */
export interface Remote {
  readonly url: string
  readonly type?: 'streamable-http' | 'sse'
  readonly headers?: Readonly<Record<string, RemoteInput>>
  readonly variables?: Readonly<Record<string, RemoteInput>>
}

/** The reasons for a tool's hints. */
export interface HintReasons {
  readonly readOnly?: string
  readonly destructive?: string
  readonly openWorld?: string
}

export interface TestCase {
  readonly description: string
  readonly prompt: string
  readonly expected: string
}

export interface PositiveTestCase extends TestCase {
  /** The names of the tools that the prompt must call. */
  readonly tools: readonly string[]
}

/**
 * The content of `jetway.json`: information that is neither in `package.json` nor available from the running
 * server.
 */
export interface JetwayJson {
  readonly entry?: string
  readonly args?: readonly string[]
  readonly title?: string
  readonly website?: string
  readonly icon?: string
  readonly shortDescription?: string
  readonly longDescription?: string
  readonly category?: string
  readonly privacyPolicy?: string
  readonly termsOfService?: string
  readonly support?: string
  readonly documentation?: string
  readonly screenshots?: readonly string[]
  readonly prompts?: readonly string[]
  readonly settings?: Readonly<Record<string, Setting>>
  readonly remotes?: readonly Remote[]
  readonly tools?: Readonly<Record<string, HintReasons>>
  readonly testCases?: {
    readonly positive?: readonly PositiveTestCase[]
    readonly negative?: readonly TestCase[]
  }
  readonly bundle?: {
    readonly external?: readonly string[]
    readonly files?: readonly string[]
    readonly toolsGenerated?: boolean
  }
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Reads the `jetway.json` in a folder. Resolves to an empty object if there is none. @throws CliError `failed` */
export async function readJetwayJson(folder: string): Promise<JetwayJson> {
  const path = join(folder, 'jetway.json')
  if (!existsSync(path)) return {}
  const content = parse(path)
  const schema = jetwaySchema()
  const unknown = findUnknownKey(content, schema, schema, '')
  if (unknown !== undefined) throw await unknownKeyError(path, unknown)
  const [error] = createValidator(schema).errors(content)
  if (error !== undefined) throw new CliError('failed', `${path}: ${describe(error)}`, { hint: HINT })
  checkSettings(path, content as JetwayJson)
  return content as JetwayJson
}

const HINT = 'Correct it: the reference of jetway.json is in the guide "Give your server to users"'

function parse(path: string): unknown {
  try {
    return JSON.parse(readRegularFile(path).toString()) as unknown
  } catch (error) {
    throw new CliError('failed', `${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
      hint: 'It must be a file with one JSON object, without comments',
    })
  }
}

interface UnknownKey {
  /** The path of the object, such as `settings.API_KEY`. Empty for the root. */
  readonly place: string
  readonly name: string
  readonly known: readonly string[]
}

/**
 * Looks for unknown keys before the validator runs, because a misspelled key may also be reported as a
 * missing required key.
 */
function findUnknownKey(
  value: unknown,
  given: unknown,
  root: JsonSchema,
  place: string,
): UnknownKey | undefined {
  const schema = resolved(given, root)
  if (Array.isArray(value))
    return first(
      value.map((item, at) => () => findUnknownKey(item, schema['items'], root, `${place}[${at}]`)),
    )
  if (!isObject(value)) return undefined
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const others = schema['additionalProperties']
  return first(
    Object.entries(value).map(([name, item]) => () => {
      const path = place === '' ? name : `${place}.${name}`
      if (Object.hasOwn(properties, name)) return findUnknownKey(item, properties[name], root, path)
      if (others === false) return { place, name, known: Object.keys(properties) }
      return findUnknownKey(item, others, root, path)
    }),
  )
}

function resolved(schema: unknown, root: JsonSchema): Readonly<Record<string, unknown>> {
  if (!isObject(schema)) return {}
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const target = resolveLocal(root, $ref)
  return isObject(target) ? target : {}
}

function first<T>(attempts: readonly (() => T | undefined)[]): T | undefined {
  for (const attempt of attempts) {
    const found = attempt()
    if (found !== undefined) return found
  }
  return undefined
}

async function unknownKeyError(path: string, { place, name, known }: UnknownKey): Promise<CliError> {
  const near = await nearest(name, known)
  return new CliError('failed', `${path} has the unknown key ${JSON.stringify(name)}${at(place)}`, {
    hint: near === undefined ? `Known keys are ${known.join(', ')}` : `Did you mean ${near}?`,
  })
}

const at = (place: string): string => (place === '' ? '' : ` in ${place}`)

function describe({ instancePath, keyword, message = 'is not valid', schema }: ValidationError): string {
  const place = instancePath === '' ? 'It' : instancePath.slice(1).replaceAll('/', '.')
  const allowed = keyword === 'enum' && Array.isArray(schema) ? `: ${schema.join(', ')}` : ''
  return `${place} ${message}${allowed}`
}

/** @throws CliError `failed` for errors that the schema cannot describe */
function checkSettings(path: string, { settings = {} }: JetwayJson): void {
  for (const [name, { type = 'string', secret, default: preset }] of Object.entries(settings)) {
    if (secret === true && preset !== undefined)
      throw new CliError('failed', `${path}: settings.${name} is secret and has a default`, {
        hint: 'Remove the default: everybody could read it in the published files',
      })
    if (secret === true && type !== 'string')
      throw new CliError('failed', `${path}: settings.${name} is secret, so its type must be string`)
    if (preset !== undefined && typeof preset !== DEFAULT_TYPES[type])
      throw new CliError(
        'failed',
        `${path}: the default of settings.${name} must be a ${DEFAULT_TYPES[type]}`,
      )
  }
}

const DEFAULT_TYPES = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  directory: 'string',
  file: 'string',
} as const
