type Params = Readonly<Record<string, unknown>>

const COMPARED = 'must be {comparison} {limit}'
const atMost = (things: string): string => `must NOT have more than {limit} ${things}`
const atLeast = (things: string): string => `must NOT have fewer than {limit} ${things}`
const dependent = ({ depsCount }: Params): string =>
  `must have ${depsCount === 1 ? 'property' : 'properties'} {deps} when property {property} is present`

/** Ajv's messages, keyed by keyword, with the names of their parameters. */
const MESSAGES: Readonly<Record<string, string | ((params: Params) => string)>> = {
  'false schema': 'boolean schema is false',
  type: 'must be {type}',
  const: 'must be equal to constant',
  enum: 'must be equal to one of the allowed values',
  not: 'must NOT be valid',
  anyOf: 'must match a schema in anyOf',
  oneOf: 'must match exactly one schema in oneOf',
  if: 'must match "{failingKeyword}" schema',
  maximum: COMPARED,
  minimum: COMPARED,
  exclusiveMaximum: COMPARED,
  exclusiveMinimum: COMPARED,
  multipleOf: 'must be multiple of {multipleOf}',
  maxLength: atMost('characters'),
  minLength: atLeast('characters'),
  pattern: 'must match pattern "{pattern}"',
  format: 'must match format "{format}"',
  maxItems: atMost('items'),
  minItems: atLeast('items'),
  items: atMost('items'),
  additionalItems: atMost('items'),
  unevaluatedItems: atMost('items'),
  uniqueItems: 'must NOT have duplicate items (items ## {j} and {i} are identical)',
  contains: ({ maxContains }) =>
    maxContains === undefined
      ? 'must contain at least {minContains} valid item(s)'
      : 'must contain at least {minContains} and no more than {maxContains} valid item(s)',
  maxProperties: atMost('properties'),
  minProperties: atLeast('properties'),
  required: "must have required property '{missingProperty}'",
  propertyNames: 'property name must be valid',
  additionalProperties: 'must NOT have additional properties',
  unevaluatedProperties: 'must NOT have unevaluated properties',
  dependencies: dependent,
  dependentRequired: dependent,
}

export function messageOf(keyword: string, params: Params): string {
  const message = MESSAGES[keyword]!
  const template = typeof message === 'string' ? message : message(params)
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name]))
}
