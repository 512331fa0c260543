import { type FormField, formIssues, type FormSchema, isObject, type JsonObject } from '@jetway/core/protocol'

export type FormContent =
  | { readonly ok: true; readonly content: JsonObject }
  | { readonly ok: false; readonly problem: string }

/**
 * The maximum number of steps in the validation of one field. It is limited because the server chooses the
 * schema, which may contain a costly pattern.
 */
const MAX_STEPS = 100_000

/** Converts strings to the types of their fields, fills in defaults, and validates the result. */
export async function readFormContent(form: FormSchema, content: JsonObject): Promise<FormContent> {
  if (!isObject(form.properties)) return { ok: false, problem: 'the form has no properties' }
  const filled = new Map(Object.entries(content))
  for (const [name, field] of Object.entries(form.properties)) {
    if (!isObject(field)) return { ok: false, problem: `the field ${JSON.stringify(name)} is malformed` }
    const value = filled.get(name)
    const given = value === undefined ? field.default : toType(field, value)
    if (given !== undefined) filled.set(name, given)
  }
  // A field named `__proto__` remains an ordinary field.
  const all = Object.fromEntries(filled)
  try {
    const { maxSteps } = await import('@jetway/core/schema')
    const [issue] = formIssues({ ...form, properties: knownFields(form) }, all, maxSteps(MAX_STEPS))
    if (issue !== undefined) return { ok: false, problem: `${issue.path.join('.')} ${issue.message}` }
  } catch {
    return { ok: false, problem: 'the form is malformed' }
  }
  return { ok: true, content: all }
}

const KNOWN_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array']

/** Only fields of known types can be validated. The server validates the other fields. */
const knownFields = ({ properties }: FormSchema): FormSchema['properties'] =>
  Object.fromEntries(Object.entries(properties).filter(([, { type }]) => KNOWN_TYPES.includes(type)))

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/

const isNumeric = (text: string): boolean => NUMBER.test(text) && Number.isFinite(Number(text))

function toType({ type }: FormField, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if ((type === 'number' || type === 'integer') && isNumeric(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
