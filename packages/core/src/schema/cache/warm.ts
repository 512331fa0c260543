import { usageError } from '../../errors.ts'
import type { CreateAjv } from '../validate/ajv-types.ts'
import { named } from '../build-engine.ts'
import { libraryOf } from '../library.ts'
import { installedAjv, loadAjv } from '../validate/load-ajv.ts'
import { openAlternative, readInput, readOutput } from '../convert/parts.ts'
import type { Pruning } from '../convert/publish.ts'
import { describeSite, recognise } from '../convert/recognise.ts'
import type { StandaloneCode } from './cache.ts'
import { standaloneCode } from '../validate/standalone.ts'
import type { JsonSchema, SchemaUse } from '../types.ts'
import { VERSION } from './version.ts'
import { alternativesOf } from '../convert/zod.ts'

/** One schema, converted and compiled, as data. */
export interface WarmedSchema {
  /** What it is found by: `tool:<name>:inputSchema`, or with the author's own `schemaKey` `key:<key>:inputSchema`. */
  readonly key: string
  /** The tool or prompt, and the member, for people. */
  readonly where: string
  /** SHA-256, in hexadecimal, over all that follows and the versions of ajv and Jetway. */
  readonly digest: string
  /** The library that the schema is of, with its version where it says it. */
  readonly library: string
  /** Whether it was closed to properties that it does not name. */
  readonly strict: boolean
  /** As published. Its order of members is the author's, and is kept: models and forms see it. */
  readonly jsonSchema: JsonSchema
  readonly pruning?: Pruning
  /** Missing where the library checks the values itself. */
  readonly validator?: StandaloneCode
  readonly alternatives?: readonly (StandaloneCode | null)[]
}

/** The schemas of a server, converted and compiled, as data. */
export interface WarmedSchemas {
  /** Versions of `@jetway/core` and ajv. */
  readonly jetway: string
  readonly ajv: string
  /** By key, in the order of their UTF-16 code units. */
  readonly schemas: readonly WarmedSchema[]
}

/**
 * @throws what registering the schema would throw; `ERR_MCP_SCHEMA_CACHE` for one key of two different schemas, and
 *   `ERR_MCP_SCHEMA_COMPILE` where ajv cannot be loaded or code cannot be generated
 */
export async function warm(uses: Iterable<SchemaUse>): Promise<WarmedSchemas> {
  const versions = { jetway: VERSION, ajv: loadAjv().version }
  const byKey = new Map<string, WarmedSchema>()
  for (const use of uses) {
    const { key } = use.site
    if (key === undefined) continue
    const schema = await digested(key.text, use, versions)
    const other = byKey.get(key.text)
    if (other !== undefined && other.digest !== schema.digest)
      throw usageError(
        'ERR_MCP_SCHEMA_CACHE',
        `${other.where} and ${schema.where} have one key, ${JSON.stringify(key.text)}, and are not the same schema; give each a schemaKey of its own`,
      )
    if (other === undefined) byKey.set(key.text, schema)
  }
  const schemas = [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return { ...versions, schemas }
}

async function digested(
  key: string,
  { schema, site, strict }: SchemaUse,
  versions: { readonly jetway: string; readonly ajv: string },
): Promise<WarmedSchema> {
  const recognised = recognise(schema, site)
  const parts = named(site, () =>
    site.field === 'outputSchema' ? outputOf(recognised) : inputOf(recognised, strict),
  )
  const content = { library: libraryOf(recognised), strict, ...parts }
  const digest = await sha256(JSON.stringify({ ...versions, ...content }))
  return { key, where: describeSite(site), digest, ...content }
}

type Recognised = ReturnType<typeof recognise>
type Parts = Pick<WarmedSchema, 'jsonSchema' | 'pruning' | 'validator' | 'alternatives'>

const createAjv: CreateAjv = installedAjv

function inputOf(recognised: Recognised, strict: boolean): Parts {
  const { jsonSchema, compiled } = readInput(recognised, strict)
  return { jsonSchema, ...(compiled && { validator: standaloneCode(compiled, jsonSchema, createAjv) }) }
}

function outputOf(recognised: Recognised): Parts {
  const { jsonSchema, pruned } = readOutput(recognised)
  const validator = standaloneCode(jsonSchema, jsonSchema, createAjv)
  if (pruned === undefined) return { jsonSchema, validator }
  const alternatives = alternativesOf(pruned.zod).map((alternative) => {
    const open = openAlternative(alternative)
    return open === undefined ? null : standaloneCode(open, jsonSchema, createAjv)
  })
  return {
    jsonSchema,
    pruning: pruned.pruning,
    validator,
    ...(alternatives.length > 0 && { alternatives }),
  }
}

/** In hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
