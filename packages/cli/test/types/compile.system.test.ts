import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { seeded } from '@jetway-apps/test-support'
import { createValidator, type JsonSchema } from '@jetway/json-schema'
import { expect, it } from 'vitest'
import { emitTypes } from '../../src/types/emit.ts'
import { folderOf } from '../support/folder.ts'

const COMPILER = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url))

/** Declares the only two exports that the emitted code imports, so that the compiler reads no other files. */
const CLIENT = `declare module '@jetway/client' {
  export interface RemoteTool<Input, Output = unknown> { readonly name: string; readonly input?: Input; readonly output?: Output }
  export function remoteTool<Input, Output = unknown>(name: string): RemoteTool<Input, Output>
}
`

/** Compiles files, and returns the compiler's output. */
function compile(files: Readonly<Record<string, string>>): string {
  const compilerOptions = { module: 'nodenext', target: 'es2022', strict: true, noEmit: true, types: [] }
  const folder = folderOf({
    'tsconfig.json': {
      compilerOptions: { ...compilerOptions, exactOptionalPropertyTypes: true },
      include: ['*.ts'],
    },
    'client.d.ts': CLIENT,
  })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  try {
    return execFileSync(process.execPath, [COMPILER, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

interface Sample {
  readonly schema: unknown
  /** A value that the schema accepts. */
  readonly value: unknown
}

/** Generates a random schema and a value that it accepts. */
function draw(random: () => number, depth = 0): Sample {
  const below = (limit: number): number => Math.floor(random() * limit)
  const inner = (): Sample => draw(random, depth + 1)
  const several = (): Sample[] => Array.from({ length: 1 + below(3) }, inner)
  const kinds: (() => Sample)[] = [
    () => ({ schema: { type: 'string' }, value: `text ${below(9)}"\\` }),
    () => ({ schema: { type: 'integer' }, value: below(9) - 4 }),
    () => ({ schema: { type: ['boolean', 'null'] }, value: [true, null][below(2)] }),
    () => ({ schema: { enum: ['a', -1, null, { b: [1] }] }, value: ['a', -1, null, { b: [1] }][below(4)] }),
    () => ({ schema: { const: { 'a-b': ['*/', 2] } }, value: { 'a-b': ['*/', 2] } }),
    () => ({ schema: [true, {}][below(2)], value: [1, { a: 1 }, 'x'][below(3)] }),
    () => ({ schema: { $ref: '#/$defs/tree' }, value: { name: 'a', children: [{ name: 'b' }] } }),
    () => ({ schema: { $ref: '#/$defs/list' }, value: [[[], []]] }),
  ]
  const nested: (() => Sample)[] = [
    () => {
      const item = inner()
      return {
        schema: { type: 'array', items: item.schema },
        value: Array.from({ length: below(3) }, () => item.value),
      }
    },
    () => {
      const items = several()
      const minItems = below(items.length + 1)
      const kept = minItems + below(items.length - minItems + 1)
      const schema = {
        type: 'array',
        prefixItems: items.map((each) => each.schema),
        minItems,
        ...(below(2) === 0 && { items: false }),
      }
      return { schema, value: items.slice(0, kept).map((each) => each.value) }
    },
    () => {
      const members = several().map((each, at) => [['id', 'a b', '__x'][at] ?? 'other', each] as const)
      const required = members.filter(() => below(2) === 0).map(([name]) => name)
      const kept = members.filter(([name]) => required.includes(name) || below(2) === 0)
      const extra = below(3) === 0
      const schema = {
        type: 'object',
        properties: Object.fromEntries(members.map(([name, { schema: its }]) => [name, its])),
        required,
        ...(extra
          ? { additionalProperties: { type: 'number' } }
          : below(2) === 0 && { additionalProperties: false }),
      }
      return {
        schema,
        value: {
          ...Object.fromEntries(kept.map(([name, { value }]) => [name, value])),
          ...(extra && { more: 1 }),
        },
      }
    },
    () => {
      const item = inner()
      return { schema: { type: 'object', additionalProperties: item.schema }, value: { one: item.value } }
    },
    () => {
      const branches = several()
      return {
        schema: { anyOf: branches.map((each) => each.schema) },
        value: branches[below(branches.length)]?.value,
      }
    },
    () => {
      const one = inner()
      return { schema: { allOf: [one.schema, {}, { not: false }] }, value: one.value }
    },
  ]
  const choices = depth < 4 ? [...kinds, ...nested, ...nested] : kinds
  return (choices[below(choices.length)] as () => Sample)()
}

const $defs = {
  tree: {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    required: ['name'],
  },
  list: { type: 'array', items: { $ref: '#/$defs/list' } },
}

it('the emitted type for a random schema accepts every value that the schema accepts', () => {
  const random = seeded(Number(process.env['JETWAY_SEED'] ?? 7))
  const samples = Array.from({ length: 300 }, () => draw(random)).map(({ schema, value }) => ({
    inputSchema: { type: 'object', properties: { value: schema }, required: ['value'], $defs },
    value: { value },
  }))
  for (const { inputSchema, value } of samples)
    expect(
      createValidator(inputSchema as JsonSchema).errors(value),
      JSON.stringify({ inputSchema, value }),
    ).toEqual([])
  const tools = samples.map(({ inputSchema }, at) => ({ name: `t${at}`, inputSchema }))
  const values = samples.map(({ value }, at) => `export const v${at}: T${at}Input = ${JSON.stringify(value)}`)
  const names = samples.map((_, at) => `type T${at}Input`).join(', ')
  const uses = [`import { ${names} } from './types.ts'`, ...values].join('\n')
  const text = emitTypes('random', tools)
  expect(compile({ 'types.ts': text, 'values.ts': uses.replace('./types.ts', './types.js') })).toBe('')
})

it('the emitted types compile for a schema with circular references', () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/b' }, all: { allOf: [{ $ref: '#' }] } },
    $defs: {
      a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/b' }] },
      b: { oneOf: [{ type: 'number' }, { $ref: '#/$defs/a' }, { $ref: '#/$defs/c' }] },
      c: { $ref: '#/$defs/c' },
    },
  }
  expect(compile({ 'types.ts': emitTypes('shop', [{ name: 'get', inputSchema }]) })).toBe('')
})

it('the emitted type does not accept an invalid value', () => {
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const text = emitTypes('shop', [{ name: 'get', inputSchema }])
  const use = "import type { GetInput } from './types.js'\nexport const value: GetInput = { id: 1 }\n"
  expect(compile({ 'types.ts': text, 'values.ts': use })).toContain(
    "Type 'number' is not assignable to type 'string'",
  )
})

it('the emitted file contains only constants and types, even if the server is hostile', () => {
  const code = '*/\nthrow new Error("x") /* ` ${x} \\ \u2028 \u202E */ // @ts-nocheck'
  const inputSchema = {
    type: 'object',
    description: code,
    properties: { [code]: { description: code, const: code }, constructor: { enum: [code, 1] } },
    required: [code],
    $defs: { [code]: {} },
  }
  const tools = [code, `${code} `, 'class'].map((name) => ({
    name,
    title: code,
    description: code,
    inputSchema,
    outputSchema: inputSchema,
  }))
  const text = emitTypes(code, tools)
  expect(compile({ 'types.ts': text })).toBe('')
  expect(compile({ 'types.ts': `${text}\nexport const wrong: string = 1\n` })).toContain('types.ts')
})
