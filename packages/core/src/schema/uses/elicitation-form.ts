import { createValidator, isSchema, type StepLimit } from '@jetway/json-schema'
import { withoutSafeBounds } from '../convert/publish.ts'
import type { Issue, JsonSchema } from '../types.ts'
import { fromErrors } from '../validate/from-errors.ts'

/** A flat object of fields, as in the newest revision. Forms for older revisions are derived from it. */
export interface FormSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, FormField>>
  readonly required?: readonly string[]
}

interface Choice {
  readonly const: string
  readonly title: string
}

/** A field. Its type determines its other members. */
export interface FormField {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
  /** The titles for `enum`, as in earlier revisions. Set only if the author wrote them this way. */
  readonly enumNames?: readonly string[]
  readonly oneOf?: readonly Choice[]
  readonly items?:
    | { readonly type: 'string'; readonly enum: readonly string[] }
    | { readonly anyOf: readonly Choice[] }
  readonly minItems?: number
  readonly maxItems?: number
}

const SHOWN = ['title', 'description', 'default'] as const
const MEMBERS = {
  string: ['minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
} as const

/** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema */
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

/**
 * Converts JSON Schema to a form. Constraints that a form cannot show are still enforced for the answer.
 *
 * @throws Error that names the field
 */
export function toFormSchema(schema: JsonSchema): FormSchema {
  const { type, properties, required } = schema
  if (type !== 'object' || !isSchema(properties)) throw new Error('a form is an object with properties')
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, withDefault(name, toField(name, field))] as const,
  )
  const names = Array.isArray(required) ? (required as string[]) : []
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(names.length > 0 && { required: names }),
  }
}

function toField(name: string, given: unknown): FormField {
  const field = isSchema(given) ? given : {}
  const choices = choicesOf(field)
  const shown = pick(field)
  if (choices !== undefined) return { type: 'string', ...shown, ...asSingle(choices, field['enumNames']) }
  const { type } = field
  if (type === 'array') {
    const items = choicesOf(isSchema(field['items']) ? field['items'] : {})
    if (items === undefined) throw unfit(name, 'a list can only be a choice among texts: items with an enum')
    return { type, ...pick(field, MEMBERS.array), items: asItems(items) }
  }
  if (type === 'integer') return { type, ...pick(withoutSafeBounds(field), MEMBERS.integer) }
  if (type === 'string' || type === 'number' || type === 'boolean') {
    const picked = pick(field, MEMBERS[type])
    if (picked['format'] !== undefined && !FORMATS.includes(picked['format'])) delete picked['format']
    return { type, ...picked }
  }
  throw unfit(name, 'a form has texts, numbers, booleans and choices among texts, and nothing nested')
}

/** Rejects an invalid default, because clients would prefill it, and the value that they send would be rejected. */
function withDefault(name: string, field: FormField): FormField {
  const issue = field.default === undefined ? undefined : fieldIssue(field, field.default)
  if (issue !== undefined) throw unfit(name, `its default ${issue}`)
  return field
}

type Choices = readonly (string | Choice)[]

/** Reads choices in any format that libraries use. */
function choicesOf(field: JsonSchema): Choices | undefined {
  const { enum: values, const: only } = field
  if (typeof only === 'string') return [only]
  if (Array.isArray(values)) {
    return values.every((value) => typeof value === 'string') ? values : undefined
  }
  const options = field['oneOf'] ?? field['anyOf']
  if (!Array.isArray(options) || options.length === 0) return undefined
  if (!options.every((option) => isSchema(option) && typeof option['const'] === 'string')) return undefined
  const consts = options as readonly { const: string; title?: string }[]
  if (consts.every(({ title }) => title === undefined)) return consts.map((option) => option.const)
  return consts.map((option) => ({ const: option.const, title: option.title ?? option.const }))
}

const isTitled = (choices: Choices): choices is readonly Choice[] => typeof choices[0] === 'object'

function asSingle(choices: Choices, names: unknown): Pick<FormField, 'oneOf' | 'enum' | 'enumNames'> {
  if (isTitled(choices)) return { oneOf: choices }
  const values = choices as readonly string[]
  return Array.isArray(names) ? { enum: values, enumNames: names as readonly string[] } : { enum: values }
}

const asItems = (choices: Choices): NonNullable<FormField['items']> =>
  isTitled(choices) ? { anyOf: choices } : { type: 'string', enum: choices as readonly string[] }

/** Returns the members that every field shows, and the given ones. */
function pick(field: JsonSchema, members: readonly string[] = []): Record<string, unknown> {
  const all = [...SHOWN, ...members].filter((member) => field[member] !== undefined)
  return Object.fromEntries(all.map((member) => [member, field[member]]))
}

/** Keywords that forms do not support. Users would not know about these constraints. */
const UNSAYABLE = [
  'pattern',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'contains',
  'not',
  'allOf',
  'if',
] as const

/**
 * Rejects constraints that a form cannot express. They would be lost if only the form enforced them.
 *
 * @throws Error that names the field
 */
export function refuseUnsayable({ properties }: JsonSchema): void {
  if (!isSchema(properties)) return
  for (const [name, field] of Object.entries(properties)) {
    if (!isSchema(field)) continue
    const lost = UNSAYABLE.find((keyword) => field[keyword] !== undefined && field[keyword] !== false)
    if (lost !== undefined) throw unfit(name, `a form cannot say "${lost}"; check it in the handler`)
    const { format } = field
    if (format !== undefined && !FORMATS.includes(format))
      throw unfit(name, `a form has the formats ${FORMATS.join(', ')}`)
  }
}

const unfit = (name: string, why: string): Error => new Error(`the field ${JSON.stringify(name)}: ${why}`)

/**
 * Returns the issues of a completed form. Additional fields are ignored.
 *
 * @param limit - limits the number of steps for each field. Needed for forms from servers that nobody has
 * reviewed
 * @throws StepLimitError if the limit is exceeded
 */
export function formIssues(
  form: FormSchema,
  content: Readonly<Record<string, unknown>>,
  limit?: StepLimit,
): Issue[] {
  return Object.entries(form.properties).flatMap(([name, field]) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined
    if (value === undefined)
      return form.required?.includes(name) ? [{ path: [name], message: 'is missing' }] : []
    const message = fieldIssue(field, value, limit)
    return message === undefined ? [] : [{ path: [name], message }]
  })
}

/**
 * The formats of strings in a form. They are less strict than JSON Schema's formats: mail addresses may
 * contain non-ASCII characters, because only a mail server knows which addresses exist.
 */
const LOOSE_FORMATS = new Map<unknown, (text: string) => boolean>([
  ['email', (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ['uri', (text) => URL.canParse(text)],
])

function fieldIssue(
  { oneOf, items, format, ...field }: FormField,
  value: unknown,
  limit?: StepLimit,
): string | undefined {
  const isLoose = LOOSE_FORMATS.get(format)
  const schema = {
    ...field,
    ...(oneOf && { enum: constantsOf(oneOf) }),
    ...(items && { items: { enum: 'enum' in items ? items.enum : constantsOf(items.anyOf) } }),
    ...(!isLoose && { format }),
  }
  const [issue] = fromErrors(createValidator(schema, { validateSchema: false, limit }).errors(value))
  if (issue !== undefined) return issue.message
  return isLoose === undefined || isLoose(value as string) ? undefined : `must match format "${format}"`
}

const constantsOf = (choices: readonly Choice[]): string[] => choices.map((choice) => choice.const)
