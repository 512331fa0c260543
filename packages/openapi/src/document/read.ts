import { UsageError } from '@jetway/core'
import {
  type Dialect,
  type Document,
  type Fault,
  type Json,
  type Method,
  METHODS,
  type Operation,
  type Parameter,
  type Security,
  type SecurityScheme,
} from './model.ts'
import { resolve } from './pointer.ts'
import { readSecurityScheme, readSecurity } from './security.ts'
import { asJson, isJson, listOf, member, OperationFault, textOf, textsOf, tidy } from './values.ts'
import { version2 } from './version-2.ts'
import { serverUrl, version3 } from './version-3.ts'

/**
 * Reads a document of OpenAPI 2.0, 3.0, 3.1 or 3.2. An operation that cannot be read is left out, with a fault.
 *
 * @throws UsageError `ERR_MCP_OPTION` for a value that is no such document, or that has too many operations
 */
export function readDocument(given: unknown, maxOperations: number): Document {
  const root = asJson(given)
  const dialect = dialectOf(root)
  const paths = member(root, 'paths')
  if (!isJson(paths)) throw mistake('the document has no paths')
  const faults: Fault[] = []
  const operations: Operation[] = []
  const context = { root, dialect, security: readSecurity(root['security']) ?? [[]] }
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue
    const item = resolve(root, value)
    if (item === undefined) {
      faults.push({ where: path, problem: 'its path item cannot be resolved', leftOut: true })
      continue
    }
    for (const method of METHODS) {
      const raw = member(item, method)
      if (raw === undefined) continue
      const key = `${method.toUpperCase()} ${path}`
      if (operations.length >= maxOperations)
        throw mistake(`the document has more than ${maxOperations} operations; raise limits.operations`)
      try {
        operations.push(readOperation({ key, method, path, raw: asJson(raw), item }, context))
      } catch (error) {
        if (!(error instanceof OperationFault)) throw error
        faults.push({ where: key, problem: error.message, leftOut: true })
      }
    }
  }
  const info = asJson(root['info'])
  return {
    root,
    title: tidy(textOf(info['title']) ?? '', 128),
    description: textOf(info['description']),
    oldSchemas: dialect.oldSchemas,
    servers: dialect.servers(),
    schemes: readSchemes(root, dialect, faults),
    operations,
    faults,
  }
}

function dialectOf(root: Json): Dialect {
  const { swagger, openapi } = root
  if (swagger === '2.0' || swagger === 2) return version2(root)
  if (typeof openapi === 'string' && /^3\.[0-2](?:\.|$)/.test(openapi)) return version3(root, openapi)
  throw mistake(
    'it must be a parsed document of OpenAPI 2.0, 3.0, 3.1 or 3.2, with a member "openapi" or "swagger"',
  )
}

interface Found {
  readonly key: string
  readonly method: Method
  readonly path: string
  readonly raw: Json
  readonly item: Json
}

interface Context {
  readonly root: Json
  readonly dialect: Dialect
  readonly security: Security
}

function readOperation({ key, method, path, raw, item }: Found, context: Context): Operation {
  const { root, dialect } = context
  checkPath(path)
  const parameters = mergeParameters(root, item, raw)
  const hints = asJson(raw['x-mcp'])
  return {
    key,
    method,
    path,
    id: textOf(raw['operationId']),
    summary: textOf(raw['summary']) ?? textOf(item['summary']),
    description: textOf(raw['description']) ?? textOf(item['description']),
    tags: textsOf(raw['tags']),
    deprecated: raw['deprecated'] === true,
    hints: { name: textOf(hints['name']), hidden: hints['hidden'] === true },
    parameters: withTemplate(path, dialect.parameters(parameters)),
    body: method === 'get' || method === 'head' ? undefined : dialect.body(raw, parameters),
    success: dialect.success(raw),
    security: readSecurity(raw['security']) ?? context.security,
    servers: [...listOf(raw['servers']), ...listOf(item['servers'])].flatMap(
      (server) => serverUrl(asJson(server)) ?? [],
    ),
  }
}

/** The operation's parameters, and those of its path that it does not redefine. */
function mergeParameters(root: Json, item: Json, raw: Json): readonly Json[] {
  const merged = new Map<string, Json>()
  for (const value of [...listOf(item['parameters']), ...listOf(raw['parameters'])]) {
    const parameter = resolve(root, value)
    if (parameter === undefined) throw new OperationFault('one of its parameters cannot be resolved')
    merged.set(JSON.stringify([parameter['in'], parameter['name']]), parameter)
  }
  return [...merged.values()]
}

function checkPath(path: string): void {
  if (!path.startsWith('/')) throw new OperationFault('its path does not begin with "/"')
  if (/[?#\\\s]/.test(path))
    throw new OperationFault('its path has a query, a fragment, a backslash or a space')
  if (/[{}]/.test(path.replace(/\{[^{}/]+\}/g, '')))
    throw new OperationFault('its path has an unmatched brace')
}

/** Adds the path's variables that nothing declares, and removes parameters that the path does not have. */
function withTemplate(path: string, parameters: readonly Parameter[]): readonly Parameter[] {
  const variables = Array.from(path.matchAll(/\{([^{}/]+)\}/g), ([, name]) => name as string)
  const declared = parameters.filter((it) => it.in !== 'path' || variables.includes(it.name))
  const missing = [...new Set(variables)].filter(
    (name) => !declared.some((it) => it.in === 'path' && it.name === name),
  )
  return [...declared, ...missing.map(pathParameter)]
}

const pathParameter = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  deprecated: false,
  description: undefined,
  schema: { type: 'string' },
  style: 'simple',
  explode: false,
  allowReserved: false,
  json: false,
})

function readSchemes(root: Json, dialect: Dialect, faults: Fault[]): Document['schemes'] {
  const schemes = new Map<string, SecurityScheme>()
  for (const [name, value] of Object.entries(asJson(dialect.schemes()))) {
    const scheme = readSecurityScheme(resolve(root, value))
    if (scheme !== undefined) schemes.set(name, scheme)
    else
      faults.push({ where: 'document', problem: `the security scheme ${name} is not known`, leftOut: false })
  }
  return schemes
}

const mistake = (problem: string): UsageError =>
  new UsageError('ERR_MCP_OPTION', `openApi(document): ${problem}`)
