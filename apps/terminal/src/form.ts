import { type FormField, formIssues, isObject } from '@jetway/core/protocol'
import type { ElicitResult, ElicitRequest } from '@jetway/client'
import type { Terminal } from './terminal.ts'
import { sanitize, sanitizeLine } from './text.ts'

const DECLINE = '/decline'
const CANCEL = '/cancel'
/** The maximum number of fields. A form with more fields is cancelled. */
const MAX_FIELDS = 64

/** Asks the user for each field of a form. */
export async function fillForm(
  { message, requestedSchema }: ElicitRequest,
  {
    name,
    signal,
    terminal,
  }: { readonly name: string; readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<ElicitResult> {
  const fields = Object.entries(requestedSchema.properties ?? {})
  if (fields.length > MAX_FIELDS || !fields.every(([, field]) => isObject(field))) return { action: 'cancel' }
  terminal.write(
    `\n${name} asks: ${sanitize(message)}\nEnter ${DECLINE} to decline, or ${CANCEL} to cancel.\n`,
  )
  if (fields.length === 0) return confirm(terminal, signal)
  const content: [string, unknown][] = []
  for (const [field, schema] of fields) {
    const required = requestedSchema.required?.includes(field) === true
    const answer = await askField({ name: field, schema, required }, terminal, signal)
    if ('action' in answer) return answer
    if (answer.value !== undefined) content.push([field, answer.value])
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

async function confirm(terminal: Terminal, signal: AbortSignal): Promise<ElicitResult> {
  const line = await terminal.ask('Agree? [y/N] ', { signal })
  if (line === undefined || line.trim() === CANCEL) return { action: 'cancel' }
  return { action: /^y(es)?$/i.test(line.trim()) ? 'accept' : 'decline' }
}

interface Field {
  readonly name: string
  readonly schema: FormField
  readonly required: boolean
}

/** Asks until the value is valid. The value is undefined if the user skips the field or keeps its default. */
async function askField(
  field: Field,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | ElicitResult> {
  terminal.write(describeField(field))
  for (;;) {
    const line = (await terminal.ask('  > ', { signal }))?.trim()
    if (line === undefined || line === CANCEL) return { action: 'cancel' }
    if (line === DECLINE) return { action: 'decline' }
    if (line === '' && (field.schema.default !== undefined || !field.required)) return { value: undefined }
    const value = parseValue(field.schema, line)
    const problem = validateField(field, value)
    if (problem === undefined) return { value }
    terminal.write(`  ${sanitizeLine(problem, 200)}\n`)
  }
}

interface Option {
  readonly value: string
  readonly title: string
}

function describeField({ name, schema, required }: Field): string {
  const { title, description, default: fallback, type } = schema
  const options = optionsOf(schema)
  const notes = [
    type === 'boolean' ? 'y or n' : type === 'array' ? 'several, separated by commas' : type,
    required ? 'required' : 'optional',
    ...(fallback === undefined ? [] : [`default: ${sanitizeLine(JSON.stringify(fallback), 80)}`]),
  ]
  const head = `  ${sanitizeLine(title ?? name, 200)} (${notes.join('; ')})\n`
  const about = description === undefined ? '' : `    ${sanitizeLine(description, 1_000)}\n`
  const choices = options.map(
    ({ value, title: label }, at) =>
      `    ${at + 1}. ${sanitizeLine(label, 200)}${label === value ? '' : ` (${sanitizeLine(value, 80)})`}\n`,
  )
  return head + about + choices.join('')
}

function optionsOf({ enum: values, enumNames, oneOf, items }: FormField): readonly Option[] {
  const titled = oneOf ?? (items !== undefined && 'anyOf' in items ? items.anyOf : undefined)
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ value, title: title ?? value }))
  const plain = values ?? (items !== undefined && 'enum' in items ? items.enum : [])
  return plain.map((value, at) => ({ value, title: enumNames?.[at] ?? value }))
}

function parseValue(schema: FormField, line: string): unknown {
  const options = optionsOf(schema)
  const chosen = (text: string): string => {
    const exact = options.find(({ value, title }) => value === text || title === text)
    return (exact ?? options[Number(text) - 1])?.value ?? text
  }
  switch (schema.type) {
    case 'boolean':
      return /^(y|yes|true)$/i.test(line) ? true : /^(n|no|false)$/i.test(line) ? false : line
    case 'number':
    case 'integer':
      return Number.isFinite(Number(line)) ? Number(line) : line
    case 'array':
      return line.split(',').map((part) => chosen(part.trim()))
    default:
      return options.length > 0 ? chosen(line) : line
  }
}

function validateField({ name, schema, required }: Field, value: unknown): string | undefined {
  const form = {
    type: 'object',
    properties: { [name]: schema },
    ...(required && { required: [name] }),
  } as const
  const [issue] = formIssues(form, { [name]: value })
  return issue === undefined ? undefined : `Invalid value: it ${issue.message}`
}
