import type { JsonObject } from '../jsonrpc.ts'

/** The features of forms in a revision. */
export interface FormRules {
  /** `full`: choices with titles, multiple choices, and defaults for every kind of field. */
  readonly fields: 'plain' | 'full'
  /** Whether the user can be asked to open a URL. */
  readonly url: boolean
}

interface Choice {
  readonly const: string
  readonly title: string
}

/**
 * Adapts a form to a revision.
 *
 * @throws Error that names the field that the revision does not support
 */
export function projectForm({ fields }: FormRules, form: { readonly properties: object }): JsonObject {
  if (fields === 'full') return { ...form }
  const properties = Object.entries(form.properties).map(([name, field]) => [
    name,
    plain(name, field as JsonObject),
  ])
  return { ...form, properties: Object.fromEntries(properties) as JsonObject }
}

/** https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation#requested-schema */
function plain(name: string, { default: preset, oneOf, ...field }: JsonObject): JsonObject {
  if (field['type'] === 'array')
    throw new Error(
      `the field ${JSON.stringify(name)}: this client's protocol revision has no choice of several`,
    )
  if (field['type'] === 'boolean' && preset !== undefined) return { ...field, default: preset }
  if (!Array.isArray(oneOf)) return field
  const choices = oneOf as readonly Choice[]
  return { ...field, enum: choices.map((c) => c.const), enumNames: choices.map((c) => c.title) }
}
