import { type Logger, UsageError } from '@jetway/core'
import { checkNames, checkOption, nearestName } from '@jetway/core/protocol'
import type { Document, Fault, Method, OperationView } from './document/model.ts'
import type { Credential } from './request/credentials.ts'
import type { Pagination } from './request/pages.ts'
import type { Fetch } from './request/send.ts'

/** What an operation is converted to: a tool (`true` or `'tool'`), a resource, or nothing. */
export type Choice = boolean | 'tool' | 'resource'

/** What a document and its operations may use. */
export interface OpenApiLimits {
  /** Operations of a document. @default 5_000 */
  readonly operations?: number
  /** Bytes of a request's body. @default 10_485_760 (10 MiB) */
  readonly uploadBytes?: number
  /** Bytes of a reply's body, decompressed. @default 5_242_880 (5 MiB) */
  readonly downloadBytes?: number
  /** Characters of a text that a model gets; longer ones are cut, with a notice. @default 262_144 (256 KiB) */
  readonly resultBytes?: number
}

/** The options of {@link openApi}. */
export interface OpenApiOptions<App = unknown, Locals = unknown> {
  /**
   * The address of the API. Requests never leave it: neither its origin, nor its path.
   *
   * @default the first server of the document. Required with `auth`, so that the document cannot choose who receives the
   * credentials
   */
  readonly baseUrl?: string
  /**
   * Values of security schemes, by their names in the document. They are added to requests and are never arguments. An
   * operation is left out if it needs a scheme that has no value.
   */
  readonly auth?: { readonly [scheme: string]: Credential<App, Locals> }
  /**
   * Chooses operations: a function, or a choice for each key, such as `{ 'GET /pets': true }`. Keys that are missing
   * are left out.
   *
   * @default all that are not deprecated
   */
  readonly operations?: ((operation: OperationView) => Choice) | { readonly [key: string]: Choice }
  /** Operations with one of these tags only. */
  readonly tags?: readonly string[]
  /** Operations with one of these paths only. `*` stands for a part of a segment, `**` for anything. */
  readonly paths?: readonly string[]
  /** Operations with one of these methods only. */
  readonly methods?: readonly Method[]
  /** Names of tools, by key or `operationId`. */
  readonly names?: { readonly [operation: string]: string }
  /** The maximum number of tools. Models choose badly among many, so more are an error. @default 200 */
  readonly maxTools?: number
  /** `inline` replaces references in schemas, for clients that cannot follow them. @default 'defs' */
  readonly refs?: 'defs' | 'inline'
  /**
   * `described`: tools have an `outputSchema` without what documents often get wrong. `checked`: with all of the
   * document's rules, and results that break them are errors. `text`: tools have no `outputSchema`.
   *
   * @default 'described'
   */
  readonly results?: 'described' | 'checked' | 'text'
  /** Lists whose pages can be fetched in one call, by name of the tool, or by key. */
  readonly paginate?: { readonly [tool: string]: Pagination }
  readonly limits?: OpenApiLimits
  /** @default the global `fetch` */
  readonly fetch?: Fetch
  /** Gets the document's faults. @default stderr */
  readonly logger?: Logger
}

const LIMITS = { operations: 1, uploadBytes: 1, downloadBytes: 1, resultBytes: 1 }
const NAMES = {
  baseUrl: 1,
  auth: true,
  operations: true,
  tags: 1,
  paths: 1,
  methods: 1,
  names: true,
  maxTools: 1,
  refs: 1,
  results: 1,
  paginate: true,
  limits: LIMITS,
  fetch: 1,
  logger: true,
} satisfies { readonly [K in keyof OpenApiOptions]-?: unknown }

export const DEFAULTS: Required<OpenApiLimits> = {
  operations: 5_000,
  uploadBytes: 10 * 1024 * 1024,
  downloadBytes: 5 * 1024 * 1024,
  resultBytes: 256 * 1024,
}

/** @throws UsageError `ERR_MCP_OPTION` */
export function checkOptions(options: OpenApiOptions<never, never>): void {
  checkNames(options, NAMES)
  const { baseUrl, auth, maxTools, limits, refs, results, tags, paths, methods } = options
  checkOption(
    'baseUrl',
    baseUrl === undefined || isBase(baseUrl),
    'must be an http: or https: URL without credentials, query and fragment',
  )
  checkOption('baseUrl', baseUrl !== undefined || auth === undefined, 'is required with auth')
  for (const [name, list] of Object.entries({ tags, paths, methods }))
    checkOption(name, list === undefined || Array.isArray(list), 'must be an array')
  for (const [name, number] of Object.entries({ maxTools, ...limits }))
    checkOption(
      name,
      number === undefined || (Number.isSafeInteger(number) && number > 0),
      'must be a whole number above 0',
    )
  checkOption(
    'refs',
    refs === undefined || refs === 'defs' || refs === 'inline',
    'must be "defs" or "inline"',
  )
  checkOption(
    'results',
    results === undefined || ['described', 'checked', 'text'].includes(results),
    'must be "described", "checked" or "text"',
  )
  checkPagination(options.paginate)
}

function checkPagination(paginate: unknown): void {
  for (const [name, value] of Object.entries(Object(paginate) as Readonly<Record<string, unknown>>)) {
    const { items, cursor, parameter, max } = Object(value) as Readonly<Record<string, unknown>>
    const isText = (it: unknown): boolean => typeof it === 'string' && it !== ''
    const isRight =
      isText(cursor) &&
      [items, parameter].every((it) => it === undefined || isText(it)) &&
      (max === undefined || (Number.isSafeInteger(max) && (max as number) > 0))
    checkOption(`paginate.${name}`, isRight, "must be an object such as { items: 'data', cursor: 'next' }")
  }
}

function isBase(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username + password + search + hash === ''
}

/** @throws UsageError `ERR_MCP_OPTION` if there is no absolute address */
export function baseOf(baseUrl: string | undefined, document: Document): URL {
  const found = baseUrl ?? document.servers.find(isBase)
  if (found !== undefined) return new URL(found)
  throw new UsageError(
    'ERR_MCP_OPTION',
    'The document has no server with an http: or https: URL; set the option baseUrl',
  )
}

/** @throws UsageError `ERR_MCP_OPTION` for a scheme that the document does not have */
export function checkAuth(auth: object, { schemes }: Document): void {
  for (const [name, value] of Object.entries(auth)) {
    const known = [...schemes.keys()]
    const near = nearestName(name, known)
    const advice =
      near === undefined
        ? `Use one of ${known.join(', ') || 'none, since it has none'}`
        : `Did you mean ${near}?`
    checkOption(`auth.${name}`, schemes.has(name), `names no security scheme of the document. ${advice}`)
    checkOption(
      `auth.${name}`,
      typeof value === 'string' || typeof value === 'function',
      'must be a string or a function',
    )
  }
}

/** Keys of options that match no operation, because a document may have changed. */
export function unmatched(
  option: string,
  given: object | undefined,
  known: ReadonlySet<string>,
): readonly Fault[] {
  return Object.keys(given ?? {})
    .filter((key) => !known.has(key))
    .map((key) => ({
      where: `${option}[${JSON.stringify(key)}]`,
      problem: 'it matches no operation',
      leftOut: false,
    }))
}
