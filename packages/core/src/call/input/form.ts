import { usageError } from '../../errors.ts'
import {
  formIssues,
  type FormSchema,
  refuseUnsayable,
  toFormSchema,
} from '../../schema/uses/elicitation-form.ts'
import { named } from '../../schema/engine.ts'
import { standardCheck } from '../../schema/validate/compiled.ts'
import { convertInput, copyJsonSchema, messageOf } from '../../schema/convert/publish.ts'
import { recognise } from '../../schema/convert/recognise.ts'
import type { AnySchema, CheckedInput, JsonSchema, SchemaSite, StandardSchema } from '../../schema/types.ts'

interface CompiledForm {
  readonly form: FormSchema
  check(content: Readonly<Record<string, unknown>>): CheckedInput | Promise<CheckedInput>
}

/**
 * The compiled forms, keyed by schema. The map is weak, because a tool's `asks` may create a new schema in
 * every call.
 */
const compiled = new WeakMap<object, CompiledForm>()

/** @throws UsageError that names the question, if a form cannot show the schema */
export function compileForm(schema: AnySchema, key: string): CompiledForm {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = isStandard(schema) ? standardForm(schema, key) : jsonForm(schema, key)
  compiled.set(schema, made)
  return made
}

/** The schemas of some libraries are functions. */
const isStandard = (schema: AnySchema): schema is StandardSchema =>
  typeof schema === 'function' || '~standard' in schema

const siteOf = (name: string): SchemaSite => ({ kind: 'question', name, field: 'schema' })

/** Converts the schema without compiling it, because the schema's library validates the answer. */
function standardForm(schema: StandardSchema, key: string): CompiledForm {
  const site = siteOf(key)
  const recognised = recognise(schema, site)
  const jsonSchema = named(site, () => convertInput(recognised))
  return { form: asForm(jsonSchema, key), check: standardCheck(schema) }
}

/**
 * Reads a JSON Schema without compiling it, because a tool's `asks` may create a new schema in every call, and
 * compiled schemas are kept forever.
 */
function jsonForm(schema: AnySchema, key: string): CompiledForm {
  recognise(schema, siteOf(key))
  const form = asForm(copyJsonSchema(schema as JsonSchema), key, refuseUnsayable)
  return { form, check: (content) => checkForm(form, content) }
}

function checkForm(form: FormSchema, content: Readonly<Record<string, unknown>>): CheckedInput {
  const issues = formIssues(form, content)
  return issues.length === 0 ? { ok: true, value: content } : { ok: false, issues }
}

function asForm(
  schema: { readonly [key: string]: unknown },
  key: string,
  check?: (schema: { readonly [key: string]: unknown }) => void,
): FormSchema {
  try {
    check?.(schema)
    return toFormSchema(schema)
  } catch (cause) {
    throw usageError('ERR_MCP_SCHEMA_INVALID', `The schema of the question "${key}": ${messageOf(cause)}`, {
      cause,
    })
  }
}

/** Validates an answer without its question and without a schema engine. */
export function checkAnswer(
  schema: AnySchema,
  key: string,
  content: Readonly<Record<string, unknown>>,
): CheckedInput {
  if (!isStandard(schema)) return checkForm(asForm(schema as JsonSchema, key), content)
  const checked = standardCheck(schema)(content)
  if (checked instanceof Promise)
    throw usageError('ERR_MCP_SCHEMA_INVALID', `The schema of the answer "${key}" is asynchronous`)
  return checked
}
