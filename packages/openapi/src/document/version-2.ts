import type { Dialect, Json, MediaType, Operation, Parameter, Place, Style } from './model.ts'
import { resolve } from './pointer.ts'
import { asJson, OperationFault, textOf, textsOf } from './values.ts'

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** OpenAPI 2.0, whose bodies are parameters. See https://spec.openapis.org/oas/v2.0.html. */
export const version2 = (root: Json): Dialect => ({
  oldSchemas: true,
  servers: () => serversOf(root),
  schemes: () => root['securityDefinitions'],
  parameters: (raw) => raw.filter((it) => !isBody(it)).map((parameter) => readParameter(parameter)),
  body: (operation, parameters) => readBody(typesOf(operation['consumes'] ?? root['consumes']), parameters),
  success: (operation) => readSuccess(root, operation),
})

function serversOf(root: Json): readonly string[] {
  const { host } = root
  const base = textOf(root['basePath']) ?? ''
  if (typeof host !== 'string') return base === '' ? [] : [base]
  const schemes = textsOf(root['schemes'])
  return [`${schemes.includes('https') || schemes.length === 0 ? 'https' : schemes[0]}://${host}${base}`]
}

const isBody = ({ in: place }: Json): boolean => place === 'body' || place === 'formData'

const typesOf = (value: unknown): readonly string[] => textsOf(value).map((type) => type.toLowerCase().trim())

function readParameter(raw: Json): Parameter {
  const { name, in: place } = raw
  if (typeof name !== 'string' || name === '') throw new OperationFault('one of its parameters has no name')
  if (place !== 'path' && place !== 'query' && place !== 'header')
    throw new OperationFault(`its parameter ${JSON.stringify(name)} is in an unknown place`)
  return {
    name,
    in: place,
    required: raw['required'] === true || place === 'path',
    deprecated: false,
    description: textOf(raw['description']),
    // The parameter has the keywords of its schema beside its own.
    schema: withoutOwn(raw),
    ...styleOf(place, raw['collectionFormat']),
    allowReserved: false,
    json: false,
  }
}

function withoutOwn(raw: Json): Json {
  const { name: _, in: __, required: ___, allowEmptyValue: ____, collectionFormat: _____, ...schema } = raw
  return schema
}

const LISTS: Readonly<Record<string, Style>> = {
  ssv: 'spaceDelimited',
  pipes: 'pipeDelimited',
  tsv: 'tabDelimited',
}

/** See https://spec.openapis.org/oas/v2.0.html#parameter-object, `collectionFormat`. */
function styleOf(place: Place, format: unknown): { readonly style: Style; readonly explode: boolean } {
  const delimited = typeof format === 'string' && Object.hasOwn(LISTS, format) ? LISTS[format] : undefined
  if (delimited !== undefined) return { style: delimited, explode: false }
  return { style: place === 'query' ? 'form' : 'simple', explode: format === 'multi' }
}

function readBody(consumes: readonly string[], parameters: readonly Json[]): Operation['body'] {
  const body = parameters.find((it) => it['in'] === 'body')
  if (body !== undefined) {
    const types = consumes.filter((type) => type !== FORM && type !== MULTIPART)
    return {
      required: body['required'] === true,
      description: textOf(body['description']),
      content: (types.length === 0 ? ['application/json'] : types).map((type) =>
        media(type, body['schema'] ?? {}),
      ),
    }
  }
  const fields = parameters.filter((it) => it['in'] === 'formData' && typeof it['name'] === 'string')
  return fields.length === 0 ? undefined : formBody(consumes, fields)
}

function formBody(consumes: readonly string[], fields: readonly Json[]): Operation['body'] {
  const hasFile = fields.some((field) => field['type'] === 'file')
  const type = hasFile || (consumes.includes(MULTIPART) && !consumes.includes(FORM)) ? MULTIPART : FORM
  const required = fields
    .filter((field) => field['required'] === true)
    .map((field) => field['name'] as string)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field['name'], withoutOwn(field)])),
    required,
  }
  const encoding = fields.map((field) => {
    const { style, explode } = styleOf('query', field['collectionFormat'])
    return [field['name'] as string, { contentType: undefined, style, explode }] as const
  })
  return {
    required: required.length > 0,
    description: undefined,
    content: [{ type, schema, encoding: new Map(encoding) }],
  }
}

function readSuccess(root: Json, operation: Json): Operation['success'] {
  const produces = typesOf(operation['produces'] ?? root['produces'])
  const responses = Object.entries(asJson(operation['responses']))
  const successes = responses.filter(([status]) => /^2\d\d$/.test(status))
  const chosen = successes.length > 0 ? successes : responses.filter(([status]) => status === 'default')
  for (const [status, value] of chosen) {
    const schema = resolve(root, value)?.['schema']
    if (schema === undefined) continue
    const types = produces.length === 0 ? ['application/json'] : produces
    return { status, content: types.map((type) => media(type, schema)) }
  }
  return undefined
}

const media = (type: string, schema: unknown): MediaType => ({ type, schema, encoding: new Map() })
