import {
  type AnyResource,
  type AnyResourceTemplate,
  type AnyTool,
  type Logger,
  type Source,
  UsageError,
} from '@jetway/core'
import { stderrLogger } from '@jetway/core/stores'
import { chooser } from './choose.ts'
import type { Document, Fault, Operation } from './document/model.ts'
import { readDocument } from './document/read.ts'
import { member, OperationFault } from './document/values.ts'
import {
  baseOf,
  checkAuth,
  checkOptions,
  DEFAULTS,
  type OpenApiLimits,
  type OpenApiOptions,
  unmatched,
} from './options.ts'
import type { Credential } from './request/credentials.ts'
import type { Api } from './request/send.ts'
import { Builder, type Built } from './tool/build.ts'
import { Names, wantedName } from './tool/names.ts'
import { schemeOf, toResource } from './tool/resource.ts'
import { callOnce, toTool } from './tool/tool.ts'

/** The tools and resources of an API, for `server.observe`. */
export interface OpenApiSource<App = unknown, Locals = unknown> extends Source<App, Locals> {
  tools(): readonly AnyTool<App, Locals>[]
  /** What is wrong with the document, and which operations are left out because of it. */
  readonly faults: readonly Fault[]
}

/** Faults that one line of the log has. */
const MAX_LOGGED = 20

/**
 * Makes tools, and resources on request, from an OpenAPI document of version 2.0, 3.0, 3.1 or 3.2. Nothing is fetched:
 * references must be inside the document (`readOpenApi` of `@jetway/openapi/file` puts those to files into it).
 *
 * An operation that cannot be called is left out and logged, so that it does not cost the others.
 *
 * @param document - the parsed document
 * @throws UsageError `ERR_MCP_OPTION` for a value that is no such document, for invalid options, and if there are more
 * tools than `maxTools`, or none
 */
export function openApi<App = unknown, Locals = unknown>(
  document: object,
  options: OpenApiOptions<App, Locals> = {},
): OpenApiSource<App, Locals> {
  checkOptions(options)
  const limits = { ...DEFAULTS, ...options.limits }
  const read = readDocument(document, limits.operations)
  const { auth = {}, fetch = (url, init) => globalThis.fetch(url, init), logger = stderrLogger } = options
  checkAuth(auth, read)
  const credentials = new Map<string, Credential<App, Locals>>(Object.entries(auth))
  const api: Api<App, Locals> = {
    base: baseOf(options.baseUrl, read),
    fetch,
    schemes: read.schemes,
    auth: credentials,
  }
  const { built, faults } = buildAll(read, options, api)
  const definitions = define(read, built, { ...options, limits, api, faults })
  checkCount(definitions.tools.length, built.length, options.maxTools ?? 200)
  report(logger, read, faults)
  const { tools, resources, templates } = definitions
  return {
    faults,
    tools: () => tools,
    ...(resources.length > 0 && { resources: () => resources }),
    ...(templates.length > 0 && { resourceTemplates: () => templates }),
    onChange: () => () => {},
  }
}

interface Chosen extends Built {
  readonly name: string
  readonly choice: 'tool' | 'resource'
}

function buildAll<App, Locals>(
  document: Document,
  options: OpenApiOptions<App, Locals>,
  { base, auth }: Api<App, Locals>,
): { readonly built: readonly Chosen[]; readonly faults: Fault[] } {
  const { names: given = {}, refs = 'defs', results = 'described' } = options
  const choose = chooser(options)
  const faults = [...document.faults]
  const names = new Names()
  const add = ({ key: where }: Operation, problem: string, leftOut = false): void => {
    const isKnown = faults.some((it) => it.where === where && it.problem === problem)
    if (!isKnown) faults.push({ where, problem, leftOut })
  }
  const builder = new Builder(document, { base, auth, refs, results, report: add })
  const built = document.operations.flatMap((operation): Chosen[] => {
    const choice = choose(operation)
    if (choice === false) return []
    try {
      const { key, id = '' } = operation
      const own = member(given, key) ?? member(given, id)
      const parts = builder.build(operation)
      return [
        { ...parts, choice, name: names.take(typeof own === 'string' ? own : wantedName(operation), key) },
      ]
    } catch (error) {
      if (!(error instanceof OperationFault)) throw error
      add(operation, error.message, true)
      return []
    }
  })
  const keys = document.operations.flatMap(({ key, id }) => (id === undefined ? [key] : [key, id]))
  const byKey = new Set(document.operations.map(({ key }) => key))
  const { operations, paginate } = options
  faults.push(
    ...unmatched('names', given, new Set(keys)),
    ...unmatched('operations', typeof operations === 'function' ? {} : operations, byKey),
    ...unmatched('paginate', paginate, new Set([...keys, ...built.map(({ name }) => name)])),
  )
  return { built, faults }
}

interface Defined<App, Locals> {
  readonly tools: AnyTool<App, Locals>[]
  readonly resources: AnyResource<App, Locals>[]
  readonly templates: AnyResourceTemplate<App, Locals>[]
}

function define<App, Locals>(
  { title }: Document,
  built: readonly Chosen[],
  options: OpenApiOptions<App, Locals> & {
    readonly limits: Required<OpenApiLimits>
    readonly api: Api<App, Locals>
    readonly faults: Fault[]
  },
): Defined<App, Locals> {
  const { paginate = {}, limits, api, faults, results } = options
  const defined: Defined<App, Locals> = { tools: [], resources: [], templates: [] }
  for (const chosen of built) {
    const { name, choice, plan, operation } = chosen
    if (choice === 'tool') {
      const pagination = Object.hasOwn(paginate, name) ? paginate[name] : paginate[operation.key]
      defined.tools.push(toTool(chosen, { name, api, limits, pagination, validate: results === 'checked' }))
      continue
    }
    try {
      const read: Parameters<typeof toResource<App, Locals>>[1]['read'] = (args, ctx) =>
        callOnce(chosen, { api, limits }, args, ctx)
      const made = toResource(chosen, { name, scheme: schemeOf(title), read })
      if ('resource' in made) defined.resources.push(made.resource)
      else defined.templates.push(made.template)
    } catch (error) {
      if (!(error instanceof OperationFault)) throw error
      faults.push({ where: plan.key, problem: error.message, leftOut: true })
    }
  }
  return defined
}

function checkCount(tools: number, all: number, maxTools: number): void {
  if (tools > maxTools)
    throw new UsageError(
      'ERR_MCP_OPTION',
      `openApi: the document gives ${tools} tools, more than maxTools (${maxTools}). Choose some by operations, tags, paths or methods: models choose badly among many`,
    )
  if (all === 0)
    throw new UsageError(
      'ERR_MCP_OPTION',
      'openApi: no operation of the document is left; change operations, tags, paths, methods or auth',
    )
}

function report(logger: Logger, { title }: Document, faults: readonly Fault[]): void {
  if (faults.length === 0) return
  const shown = faults.slice(0, MAX_LOGGED).map(({ where, problem }) => `${where}: ${problem}`)
  const leftOut = faults.filter((fault) => fault.leftOut).length
  logger.warn(
    { document: title, faults: shown, count: faults.length },
    `An OpenAPI document has faults; ${leftOut} operations are left out`,
  )
}
