import type { Dialect, Encoding, Json, MediaType, Operation, Parameter, Place, Style } from './model.ts'
import { resolve } from './pointer.ts'
import { asJson, isJson, listOf, member, OperationFault, textOf } from './values.ts'

/** The styles that each place allows. The first is the default. */
const STYLES: Readonly<Record<Place, readonly [Style, ...Style[]]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** OpenAPI 3.0 to 3.2. See https://spec.openapis.org/oas/v3.1.1.html. */
export const version3 = (root: Json, version: string): Dialect => ({
  oldSchemas: version.startsWith('3.0'),
  servers: () => listOf(root['servers']).flatMap((server) => serverUrl(asJson(server)) ?? []),
  schemes: () => asJson(root['components'])['securitySchemes'],
  parameters: (raw) => raw.map((parameter) => readParameter(root, parameter)),
  body: (operation) => readBody(root, operation['requestBody']),
  success: (operation) => readSuccess(root, operation['responses']),
})

/** Fills in the defaults of a server's variables. */
export function serverUrl(server: Json): string | undefined {
  const variables = asJson(server['variables'])
  return textOf(server['url'])?.replace(
    /\{([^{}]+)\}/g,
    (whole, name: string) => textOf(asJson(member(variables, name))['default']) ?? whole,
  )
}

function readParameter(root: Json, raw: Json): Parameter {
  const { name, in: place } = raw
  if (typeof name !== 'string' || name === '') throw new OperationFault('one of its parameters has no name')
  if (typeof place !== 'string' || !Object.hasOwn(STYLES, place))
    throw new OperationFault(`its parameter ${JSON.stringify(name)} is in an unknown place`)
  const at = place as Place
  const content = contentOf(root, raw['content'])[0]
  const allowed = STYLES[at]
  const style = allowed.find((it) => it === raw['style']) ?? allowed[0]
  return {
    name,
    in: at,
    required: raw['required'] === true || at === 'path',
    deprecated: raw['deprecated'] === true,
    description: textOf(raw['description']),
    schema: content === undefined ? (raw['schema'] ?? {}) : content.schema,
    style,
    explode:
      typeof raw['explode'] === 'boolean' ? raw['explode'] : style === 'form' || style === 'deepObject',
    allowReserved: raw['allowReserved'] === true,
    json: content !== undefined && content.type.includes('json'),
  }
}

function readBody(root: Json, value: unknown): Operation['body'] {
  if (value === undefined) return undefined
  const body = resolve(root, value)
  if (body === undefined) throw new OperationFault('its body cannot be resolved')
  return {
    required: body['required'] === true,
    description: textOf(body['description']),
    content: contentOf(root, body['content']),
  }
}

function readSuccess(root: Json, responses: unknown): Operation['success'] {
  const successes = Object.entries(asJson(responses)).filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
  const chosen = successes.length > 0 ? successes : Object.entries(asJson(responses)).filter(isDefault)
  for (const [status, value] of chosen) {
    const content = contentOf(root, resolve(root, value)?.['content'])
    if (content.length > 0) return { status, content }
  }
  return undefined
}

const isDefault = ([status]: readonly [string, unknown]): boolean => status === 'default'

function contentOf(root: Json, content: unknown): readonly MediaType[] {
  return Object.entries(asJson(content)).flatMap(([type, value]) => {
    const media = resolve(root, value)
    if (media === undefined) return []
    const encoding = Object.entries(asJson(media['encoding'])).filter(([, it]) => isJson(it))
    return {
      type: type.toLowerCase().trim(),
      schema: media['schema'] ?? {},
      encoding: new Map(encoding.map(([name, it]) => [name, readEncoding(it as Json)])),
    }
  })
}

function readEncoding(raw: Json): Encoding {
  const style = STYLES.query.find((it) => it === raw['style'])
  return {
    contentType: textOf(raw['contentType']),
    ...(style !== undefined && { style }),
    ...(typeof raw['explode'] === 'boolean' && { explode: raw['explode'] }),
    ...(raw['allowReserved'] === true && { allowReserved: true }),
  }
}
