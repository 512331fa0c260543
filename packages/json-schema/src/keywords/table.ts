import * as arrays from './arrays.ts'
import * as combine from './combine.ts'
import * as objects from './objects.ts'
import { dynamicAnchor, dynamicReference, reference } from './references.ts'
import type { Check } from './run.ts'
import type { Scope } from './scope.ts'
import * as values from './values.ts'

type MakeCheck = (scope: Scope, value: never, keyword: string, type: string | undefined) => Check | undefined

/**
 * The allowed types of the keyword's value, and the function that makes its check. It is omitted if another keyword
 * handles this one.
 */
type Keyword = readonly [takes: readonly string[], make?: MakeCheck]

const ARRAY = ['array']
const BOOLEAN = ['boolean']
const LIMIT = ['number']
const OBJECT = ['object']
const TEXT = ['string']
const SCHEMA = ['object', 'boolean']

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $comment: [[]],
  id: [[], refuseId],
  $ref: [TEXT, reference],
  $dynamicAnchor: [TEXT, dynamicAnchor],
  $dynamicRef: [TEXT, dynamicReference],
  $recursiveAnchor: [BOOLEAN, (scope, value) => (value ? dynamicAnchor(scope, '') : undefined)],
  $recursiveRef: [TEXT, dynamicReference],
  type: [['string', 'array']],
  nullable: [BOOLEAN],
  const: [[], values.constant],
  enum: [ARRAY, values.enumeration],
  not: [SCHEMA, combine.not],
  anyOf: [ARRAY, combine.anyOf],
  oneOf: [ARRAY, combine.oneOf],
  allOf: [ARRAY, combine.allOf],
  if: [SCHEMA, combine.conditional],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword
  then: [SCHEMA],
  else: [SCHEMA],
  maximum: [LIMIT, values.limitNumber],
  minimum: [LIMIT, values.limitNumber],
  exclusiveMaximum: [LIMIT, values.limitNumber],
  exclusiveMinimum: [LIMIT, values.limitNumber],
  multipleOf: [LIMIT, values.multipleOf],
  maxLength: [LIMIT, values.limitLength],
  minLength: [LIMIT, values.limitLength],
  pattern: [TEXT, values.pattern],
  format: [TEXT, values.format],
  maxItems: [LIMIT, values.limitMembers],
  minItems: [LIMIT, values.limitMembers],
  prefixItems: [ARRAY, arrays.tuple],
  additionalItems: [['boolean', 'object'], arrays.additionalItems],
  items: [['object', 'array', 'boolean'], arrays.items],
  contains: [SCHEMA, arrays.contains],
  uniqueItems: [BOOLEAN, arrays.uniqueItems],
  maxContains: [LIMIT],
  minContains: [LIMIT],
  unevaluatedItems: [['boolean', 'object'], arrays.unevaluatedItems],
  maxProperties: [LIMIT, values.limitMembers],
  minProperties: [LIMIT, values.limitMembers],
  required: [ARRAY, objects.required],
  propertyNames: [SCHEMA, objects.propertyNames],
  additionalProperties: [['boolean', 'object'], objects.additionalProperties],
  dependencies: [OBJECT, objects.dependencies],
  properties: [OBJECT, objects.properties],
  patternProperties: [OBJECT, objects.patternProperties],
  dependentRequired: [OBJECT, objects.dependentRequired],
  dependentSchemas: [OBJECT, objects.dependentSchemas],
  unevaluatedProperties: [['boolean', 'object'], objects.unevaluatedProperties],
}

function refuseId(): never {
  throw new Error('NOT SUPPORTED: keyword "id", use "$id" for schema ID')
}
