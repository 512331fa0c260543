import * as arrays from './arrays.ts'
import * as combine from './combine.ts'
import * as objects from './objects.ts'
import { dynamicAnchor, dynamicReference, reference } from './references.ts'
import type { Check } from './run.ts'
import type { Scope } from './scope.ts'
import * as values from './values.ts'

type MakeCheck = (scope: Scope, value: never, keyword: string, type: string | undefined) => Check | undefined

interface Keyword {
  /** The types that the keyword's value may have. */
  readonly takes: readonly string[]
  /** Undefined if the check for another keyword also handles this one. */
  readonly make?: MakeCheck
}

const LIMIT = ['number']
const TEXT = ['string']
const SCHEMA = ['object', 'boolean']

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $comment: { takes: [] },
  id: { takes: [], make: refuseId },
  $ref: { takes: TEXT, make: reference },
  $dynamicAnchor: { takes: TEXT, make: dynamicAnchor },
  $dynamicRef: { takes: TEXT, make: dynamicReference },
  $recursiveAnchor: {
    takes: ['boolean'],
    make: (scope, value) => (value ? dynamicAnchor(scope, '') : undefined),
  },
  $recursiveRef: { takes: TEXT, make: dynamicReference },
  type: { takes: ['string', 'array'] },
  nullable: { takes: ['boolean'] },
  const: { takes: [], make: values.constant },
  enum: { takes: ['array'], make: values.enumeration },
  not: { takes: SCHEMA, make: combine.not },
  anyOf: { takes: ['array'], make: combine.anyOf },
  oneOf: { takes: ['array'], make: combine.oneOf },
  allOf: { takes: ['array'], make: combine.allOf },
  if: { takes: SCHEMA, make: combine.conditional },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword
  then: { takes: SCHEMA },
  else: { takes: SCHEMA },
  maximum: { takes: LIMIT, make: values.limitNumber },
  minimum: { takes: LIMIT, make: values.limitNumber },
  exclusiveMaximum: { takes: LIMIT, make: values.limitNumber },
  exclusiveMinimum: { takes: LIMIT, make: values.limitNumber },
  multipleOf: { takes: LIMIT, make: values.multipleOf },
  maxLength: { takes: LIMIT, make: values.limitLength },
  minLength: { takes: LIMIT, make: values.limitLength },
  pattern: { takes: TEXT, make: values.pattern },
  format: { takes: TEXT, make: values.format },
  maxItems: { takes: LIMIT, make: values.limitMembers },
  minItems: { takes: LIMIT, make: values.limitMembers },
  prefixItems: { takes: ['array'], make: arrays.tuple },
  additionalItems: { takes: ['boolean', 'object'], make: arrays.additionalItems },
  items: { takes: ['object', 'array', 'boolean'], make: arrays.items },
  contains: { takes: SCHEMA, make: arrays.contains },
  uniqueItems: { takes: ['boolean'], make: arrays.uniqueItems },
  maxContains: { takes: LIMIT },
  minContains: { takes: LIMIT },
  unevaluatedItems: { takes: ['boolean', 'object'], make: arrays.unevaluatedItems },
  maxProperties: { takes: LIMIT, make: values.limitMembers },
  minProperties: { takes: LIMIT, make: values.limitMembers },
  required: { takes: ['array'], make: objects.required },
  propertyNames: { takes: SCHEMA, make: objects.propertyNames },
  additionalProperties: { takes: ['boolean', 'object'], make: objects.additionalProperties },
  dependencies: { takes: ['object'], make: objects.dependencies },
  properties: { takes: ['object'], make: objects.properties },
  patternProperties: { takes: ['object'], make: objects.patternProperties },
  dependentRequired: { takes: ['object'], make: objects.dependentRequired },
  dependentSchemas: { takes: ['object'], make: objects.dependentSchemas },
  unevaluatedProperties: { takes: ['boolean', 'object'], make: objects.unevaluatedProperties },
}

function refuseId(): never {
  throw new Error('NOT SUPPORTED: keyword "id", use "$id" for schema ID')
}
