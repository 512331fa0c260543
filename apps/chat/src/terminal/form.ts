import { type FormField, formIssues, isObject } from '@jetway/core/protocol'
import type { ElicitAnswer, ElicitRequest } from '@jetway/client'
import type { Terminal } from './terminal.ts'
import { shown, shownShort } from './text.ts'

const DECLINE = '/decline'
const CANCEL = '/cancel'
/** Fields that a person is asked for. A form of more is no form. */
const MAX_FIELDS = 64

/** Has a person fill in a form, field by field. */
export async function fillIn(
  { message, requestedSchema }: ElicitRequest,
  {
    name,
    signal,
    terminal,
  }: { readonly name: string; readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<ElicitAnswer> {
  const fields = Object.entries(requestedSchema.properties ?? {})
  if (fields.length > MAX_FIELDS || !fields.every(([, field]) => isObject(field))) return { action: 'cancel' }
  terminal.write(
    `\n${name} asks: ${shown(message)}\nType ${DECLINE} to say no, and ${CANCEL} to leave it open.\n`,
  )
  if (fields.length === 0) return confirmed(terminal, signal)
  const content: [string, unknown][] = []
  for (const [field, schema] of fields) {
    const required = requestedSchema.required?.includes(field) === true
    const answer = await askField({ field, schema, required }, terminal, signal)
    if ('action' in answer) return answer
    if (answer.value !== undefined) content.push([field, answer.value])
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

async function confirmed(terminal: Terminal, signal: AbortSignal): Promise<ElicitAnswer> {
  const line = await terminal.ask('Agree? [y/N] ', { signal })
  if (line === undefined || line.trim() === CANCEL) return { action: 'cancel' }
  return { action: /^y(es)?$/i.test(line.trim()) ? 'accept' : 'decline' }
}

interface Asked {
  readonly field: string
  readonly schema: FormField
  readonly required: boolean
}

/** Asks until the answer fits; undefined where the field is left out, or keeps its default. */
async function askField(
  asked: Asked,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ readonly value: unknown } | ElicitAnswer> {
  terminal.write(described(asked))
  for (;;) {
    const line = (await terminal.ask('  > ', { signal }))?.trim()
    if (line === undefined || line === CANCEL) return { action: 'cancel' }
    if (line === DECLINE) return { action: 'decline' }
    if (line === '' && (asked.schema.default !== undefined || !asked.required)) return { value: undefined }
    const value = valueOf(asked.schema, line)
    const problem = problemOf(asked, value)
    if (problem === undefined) return { value }
    terminal.write(`  ${shownShort(problem, 200)}\n`)
  }
}

interface Option {
  readonly value: string
  readonly title: string
}

function described({ field, schema, required }: Asked): string {
  const { title, description, default: fallback, type } = schema
  const options = optionsOf(schema)
  const notes = [
    type === 'boolean' ? 'y or n' : type === 'array' ? 'several, with commas between' : type,
    required ? 'required' : 'may be left empty',
    ...(fallback === undefined ? [] : [`empty for ${shownShort(JSON.stringify(fallback), 80)}`]),
  ]
  const head = `  ${shownShort(title ?? field, 200)} (${notes.join('; ')})\n`
  const about = description === undefined ? '' : `    ${shownShort(description, 1_000)}\n`
  const choices = options.map(
    ({ value, title: name }, at) =>
      `    ${at + 1}. ${shownShort(name, 200)}${name === value ? '' : ` (${shownShort(value, 80)})`}\n`,
  )
  return head + about + choices.join('')
}

function optionsOf({ enum: values, enumNames, oneOf, items }: FormField): readonly Option[] {
  const titled = oneOf ?? (items !== undefined && 'anyOf' in items ? items.anyOf : undefined)
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ value, title: title ?? value }))
  const plain = values ?? (items !== undefined && 'enum' in items ? items.enum : [])
  return plain.map((value, at) => ({ value, title: enumNames?.[at] ?? value }))
}

function valueOf(schema: FormField, line: string): unknown {
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

function problemOf({ field, schema, required }: Asked, value: unknown): string | undefined {
  const form = {
    type: 'object',
    properties: { [field]: schema },
    ...(required && { required: [field] }),
  } as const
  const [issue] = formIssues(form, { [field]: value })
  return issue === undefined ? undefined : `That does not fit: it ${issue.message}`
}
