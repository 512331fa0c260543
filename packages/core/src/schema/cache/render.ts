import type { StandaloneCode } from './cache.ts'
import { literal } from '../validate/standalone.ts'
import { sha256, type WarmedSchema, type WarmedSchemas } from './warm.ts'

const RUNTIME = '@jetway/core/schema-runtime'
const HEAD = /^\/\/ Made by "jetway schemas build"; do not edit\. sha256 of all that follows: ([\da-f]{64})\n/

/** Where the server of a cache is, for `jetway schemas check` to find it again. */
export interface CacheOrigin {
  /** From the folder of the cache, with slashes. */
  readonly file: string
  /** The name of the export, where it was given. */
  readonly export?: string | undefined
}

const ORIGIN = /^\/\/ Of the server (\{.*\})$/m

/** @returns undefined where the text does not say it */
export function originOf(text: string): CacheOrigin | undefined {
  const [, json] = ORIGIN.exec(text) ?? []
  return json === undefined ? undefined : (JSON.parse(json) as CacheOrigin)
}

/**
 * The text of a module whose default export is the cache: an ES module that imports nothing but
 * `@jetway/core/schema-runtime`, and of which nothing but what was warmed decides a single byte.
 */
export async function renderSchemas(warmed: WarmedSchemas, origin?: CacheOrigin): Promise<string> {
  const told = origin === undefined ? '' : `// Of the server ${literal(origin)}\n`
  const body = told + moduleOf(warmed)
  return `// Made by "jetway schemas build"; do not edit. sha256 of all that follows: ${await sha256(body)}\n${body}`
}

/** Whether the text of such a module is as it was written. */
export async function isIntact(text: string): Promise<boolean> {
  const [head, digest] = HEAD.exec(text) ?? []
  return head !== undefined && (await sha256(text.slice(head.length))) === digest
}

/** What stands beside the module for TypeScript, as `index.d.ts`. */
export const SCHEMAS_TYPES = `import type { SchemaCache } from '@jetway/core/schema-cache'
declare const schemas: SchemaCache
export default schemas
`

function moduleOf({ jetway, ajv, schemas }: WarmedSchemas): string {
  const codes = schemas.flatMap(({ validator, alternatives = [] }) => [validator, ...alternatives])
  const helpers = [...new Set(codes.flatMap((code) => code?.helpers ?? []))].toSorted()
  return [
    ...(helpers.length === 0 ? [] : [`import { ${helpers.join(', ')} } from '${RUNTIME}'`, '']),
    'export default {',
    `  jetway: ${literal(jetway)},`,
    `  ajv: ${literal(ajv)},`,
    '  entries: {',
    ...schemas.map((schema) => `    ${literal(schema.key)}: {\n${membersOf(schema)}\n    },`),
    '  },',
    '}',
    '',
  ].join('\n')
}

function membersOf({
  digest,
  library,
  strict,
  jsonSchema,
  pruning,
  validator,
  alternatives,
}: WarmedSchema): string {
  const members = [
    `digest: ${literal(digest)}`,
    `library: ${literal(library)}`,
    `strict: ${strict}`,
    `jsonSchema: ${literal(jsonSchema)}`,
    ...(pruning === undefined ? [] : [`pruning: ${literal(pruning)}`]),
    ...(validator === undefined ? [] : [`validator: ${maker(validator)}`]),
    ...(alternatives === undefined ? [] : [`alternatives: [${alternatives.map(maker).join(', ')}]`]),
  ]
  return members.map((member) => `      ${member},`).join('\n')
}

const maker = (made: StandaloneCode | null): string =>
  made === null ? 'null' : `(published) => {\n${made.code}\n}`
