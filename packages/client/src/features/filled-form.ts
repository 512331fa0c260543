import { type FormField, formIssues, type FormSchema, isObject, type JsonObject } from '@jetway/core/protocol'

export type FilledForm =
  | { readonly ok: true; readonly content: JsonObject }
  | { readonly ok: false; readonly problem: string }

/**
 * What a person has filled in, as the server's schema has it: texts become the numbers and booleans that their fields
 * want, since that is all that a simple dialog gives, and what was left alone keeps the default that was shown.
 */
export function readFilledForm(form: FormSchema, content: Readonly<Record<string, unknown>>): FilledForm {
  if (!isObject(form.properties)) return { ok: false, problem: 'the form has no properties' }
  const filled: Record<string, unknown> = { ...content }
  for (const [name, field] of Object.entries(form.properties)) {
    if (!isObject(field)) return { ok: false, problem: `the field ${JSON.stringify(name)} is malformed` }
    const value = Object.hasOwn(filled, name) ? filled[name] : undefined
    const given = value === undefined ? field.default : toType(field, value)
    // Not by assignment, which a field of the name __proto__ would make something else of.
    if (given !== undefined)
      Object.defineProperty(filled, name, {
        value: given,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  try {
    const [issue] = formIssues({ ...form, properties: readable(form) }, filled)
    if (issue !== undefined) return { ok: false, problem: `${issue.path.join('.')} ${issue.message}` }
  } catch {
    return { ok: false, problem: 'the form is malformed' }
  }
  return { ok: true, content: filled }
}

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array']

/** The fields of a kind that is known here; what a newer server means by the others is for it to check. */
const readable = ({ properties }: FormSchema): FormSchema['properties'] =>
  Object.fromEntries(Object.entries(properties).filter(([, { type }]) => TYPES.includes(type)))

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/

function toType({ type }: FormField, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if ((type === 'number' || type === 'integer') && NUMBER.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}
