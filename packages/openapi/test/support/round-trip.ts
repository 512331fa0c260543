import { seeded, silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { createValidator } from '@jetway/json-schema'
import { connect } from '@jetway/testing'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { METHODS } from '../../src/document/model.ts'
import { resolve } from '../../src/document/pointer.ts'
import { openApi } from '../../src/index.ts'
import { schemaOf } from './api.ts'
import { everything } from './compiled.ts'
import { sample } from './sample.ts'

type Json = Readonly<Record<string, unknown>>
const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

/** A request, and the arguments it was made from. */
interface Sent {
  readonly url: URL
  readonly init: RequestInit
  readonly args: Json
}

/** How many calls were sent, and in which of them the API got something else than its document says. */
export interface RoundTrip {
  readonly calls: number
  readonly faults: readonly string[]
}

/**
 * Calls each tool of a document with arguments that match its schema, and checks the requests as a server would that is
 * made from the document: it finds the operation by the path, reads each parameter by its style, and validates bodies by
 * the schemas of the document itself, with ajv.
 */
export async function roundTrip(document: object, times: number): Promise<RoundTrip> {
  let last: { url: URL; init: RequestInit } | undefined
  const fetch = (url: URL, init: RequestInit): Promise<Response> => {
    last = { url, init }
    return Promise.resolve(new Response('ok', { headers: { 'content-type': 'text/plain' } }))
  }
  const server = new McpServer({ name: 'round-trip', version: '1' }, { logger: silent })
  const source = openApi(document, { ...everything(document), results: 'text', fetch })
  server.observe(source)
  await using client = await connect(server)
  const receiver = new Receiver(document as Json)
  const random = seeded(20_241_105)
  const faults: string[] = []
  let calls = 0
  for (const { name, inputSchema } of source.tools()) {
    const schema = schemaOf(inputSchema)
    const validator = createValidator(schema)
    for (let count = 0; count < times; count++) {
      const args = JSON.parse(JSON.stringify(sample(schema, schema, random))) as Json
      // The generator knows few patterns.
      if (!validator.isValid(args)) continue
      last = undefined
      const result = await client.callTool(name, args)
      // An empty value in the path is refused.
      if (last === undefined) continue
      calls += 1
      const sent = { ...(last as { url: URL; init: RequestInit }), args }
      const problems = result.isError === true ? ['the call fails'] : await receiver.check(sent)
      faults.push(...problems.map((problem) => `${name} ${JSON.stringify(args).slice(0, 500)}: ${problem}`))
    }
  }
  return { calls, faults }
}

interface Route {
  readonly pattern: RegExp
  readonly method: string
  readonly path: string
  readonly operation: Json
  readonly parameters: readonly Json[]
}

class Receiver {
  readonly #root: Json
  readonly #routes: readonly Route[]
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    verbose: true,
    logger: false,
  })

  constructor(root: Json) {
    this.#root = root
    this.#ajv.addSchema(root, 'https://document.invalid')
    const routes = Object.entries(asJson(root['paths'])).flatMap(([path, value]) => {
      const item = asJson(resolve(root, value))
      return METHODS.filter((method) => item[method] !== undefined).map((method): Route => {
        const operation = asJson(item[method])
        const raw = [
          ...((item['parameters'] ?? []) as unknown[]),
          ...((operation['parameters'] ?? []) as unknown[]),
        ]
        const source = path.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace(/\{[^{}/]+\}/g, '([^/]+)')
        const parameters = raw.map((parameter) => asJson(resolve(root, parameter)))
        return { pattern: new RegExp(`^${source}$`), method, path, operation, parameters }
      })
    })
    // A server prefers the path with the fewest variables.
    this.#routes = routes.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)
  }

  async check({ url, init, args }: Sent): Promise<readonly string[]> {
    const routes = this.#routes.filter(
      ({ method, pattern }) => method.toUpperCase() === init.method && pattern.test(url.pathname),
    )
    if (routes.length === 0) return [`no operation is at ${init.method} ${url.pathname}`]
    const all = await Promise.all(routes.map((route) => this.#checkRoute(route, { url, init, args })))
    // Documents have paths of one form, such as /{a} and /{b}.
    return all.find((problems) => problems.length === 0) ?? (all[0] as readonly string[])
  }

  async #checkRoute(route: Route, sent: Sent): Promise<readonly string[]> {
    const problems: string[] = []
    const names = Array.from(route.path.matchAll(/\{([^{}/]+)\}/g), ([, name]) => name)
    const values = route.pattern.exec(sent.url.pathname)?.slice(1) ?? []
    for (const parameter of route.parameters) {
      const name = String(parameter['name'])
      const isOnly = route.parameters.filter((it) => it['name'] === name).length === 1
      const given = sent.args[name]
      if (!isOnly || given === undefined || given === null) continue
      const at = parameter['in']
      const arrived =
        at === 'path'
          ? readPath(parameter, values[names.indexOf(name)] ?? '', given)
          : at === 'query'
            ? readQuery(parameter, sent.url, given)
            : undefined
      if (arrived === undefined) continue
      const expected = texts(given)
      if (JSON.stringify(arrived) !== JSON.stringify(expected))
        problems.push(
          `the parameter ${name} arrives as ${JSON.stringify(arrived)} instead of ${JSON.stringify(expected)}`,
        )
    }
    return [...problems, ...(await this.#checkBody(route, sent))]
  }

  async #checkBody({ path, method, operation }: Route, { init }: Sent): Promise<readonly string[]> {
    if (typeof init.body !== 'string') return []
    const type = new Headers(init.headers).get('content-type') ?? ''
    if (!/json/.test(type)) return []
    const pointer = (...tokens: readonly string[]): string =>
      tokens
        .map((token) => `/${encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
        .join('')
    const at = asJson(operation['requestBody'])
    const content = asJson(asJson(resolve(this.#root, at))['content'])
    const key = Object.keys(content).find((name) => name.toLowerCase() === type) ?? Object.keys(content)[0]
    if (key === undefined) return []
    const base =
      typeof at['$ref'] === 'string' ? at['$ref'] : `#${pointer('paths', path, method, 'requestBody')}`
    const $ref = `https://document.invalid${base}${pointer('content', key, 'schema')}`
    let validate
    try {
      validate = this.#ajv.compile({ $ref })
    } catch {
      // Keywords of 3.0 that ajv refuses, and references that lead nowhere.
      return []
    }
    if (validate(JSON.parse(init.body))) return []
    return (validate.errors ?? [])
      .filter((error) => !this.#isExpected(error))
      .map(({ instancePath, message }) => `the body at ${instancePath} ${message}`)
  }

  /** A property that is `readOnly` is not required in requests. */
  #isExpected({ keyword, params, parentSchema, schema }: ErrorObject): boolean {
    // Alternatives fail together with their parts.
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'if') return true
    if (keyword === 'type' && asJson(parentSchema)['nullable'] === true) return true
    if (keyword === 'enum') return asJson(parentSchema)['nullable'] === true
    if (keyword !== 'required') return false
    const property = asJson(
      asJson(asJson(parentSchema)['properties'])[
        String((params as { missingProperty: unknown }).missingProperty)
      ],
    )
    return schema === undefined || asJson(resolve(this.#root, property))['readOnly'] === true
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A value as a server reads it, which has no types. */
function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(text)
  if (typeof value !== 'object' || value === null) return text(value)
  return Object.entries(value)
    .filter(([, item]) => item !== null)
    .map(([name, item]) => [name, text(item)])
}

const pairs = (items: readonly string[]): readonly (readonly string[])[] =>
  items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1] ?? '']] : []))

/** Reads a parameter by the tables of the specification. Undefined: the table has no such row. */
function readPath(parameter: Json, raw: string, given: unknown): unknown {
  const style = parameter['style'] ?? 'simple'
  const explode = parameter['explode'] === true
  if (style !== 'simple' || parameter['content'] !== undefined || parameter['collectionFormat'] !== undefined)
    return undefined
  if (typeof given !== 'object') return decodeURIComponent(raw)
  const items = raw.split(',').map(decodeURIComponent)
  if (Array.isArray(given)) return items
  return explode ? items.map((item) => item.split('=')) : pairs(items)
}

function readQuery(parameter: Json, url: URL, given: unknown): unknown {
  const name = String(parameter['name'])
  if (
    parameter['content'] !== undefined ||
    parameter['collectionFormat'] !== undefined ||
    parameter['type'] !== undefined
  )
    return undefined
  const style = parameter['style'] ?? 'form'
  const explode = parameter['explode'] ?? (style === 'form' || style === 'deepObject')
  const raw = url.search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=') as [string, string])
  const own = raw.filter(([key]) => decodeURIComponent(key) === name).map(([, value]) => value)
  if (typeof given !== 'object') return decodeURIComponent(own[0] ?? '')
  if (style !== 'form') return undefined
  if (Array.isArray(given)) {
    if (given.filter((item) => item !== null).length === 0) return own
    return (explode === true ? own : (own[0] ?? '').split(',')).map(decodeURIComponent)
  }
  if (explode === true) return undefined
  const items = (own[0] ?? '').split(',').map(decodeURIComponent)
  return own.length === 0 ? [] : pairs(items)
}
