import { expect, it, vi } from 'vitest'
import type { JsonSchema, JsonValidator } from '../../../src/schema/types.ts'
import { compileWithAjv } from '../../../src/schema/validate/ajv.ts'
import { interpret } from '../../../src/schema/validate/interpret.ts'
import { createTieredCompiler } from '../../../src/schema/validate/tiered.ts'

const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } }
const value = { a: 'x', b: 1 }

function tieredWith(generate: (schema: JsonSchema) => Promise<JsonValidator>, hot = 30): JsonValidator {
  return createTieredCompiler({ interpret, generate, hot }).compile(schema, 'author')
}

it('compiles a schema once it is hot, and not before', async () => {
  const isValid = vi.fn<(value: unknown) => boolean>().mockReturnValue(false)
  const generate = vi.fn<() => Promise<JsonValidator>>().mockResolvedValue({ isValid, explain: () => [] })
  const validator = tieredWith(generate)
  for (let i = 0; i < 9; i++) expect(validator.isValid(value)).toBe(true)
  expect(generate).not.toHaveBeenCalled()
  for (let i = 0; i < 5; i++) expect(validator.isValid(value)).toBe(true)
  await vi.waitFor(() => expect(validator.isValid(value)).toBe(false))
  expect(generate).toHaveBeenCalledTimes(1)
})

it('goes by how much there is to look at, and not by how often', async () => {
  const generate = vi.fn(compileWithAjv)
  const compiler = createTieredCompiler({ interpret, generate, hot: 1_000 })
  const validator = compiler.compile({ type: 'array', items: { type: 'number' } }, 'author')
  validator.isValid(Array.from({ length: 2_000 }, (_, i) => i))
  await vi.waitFor(() => expect(generate).toHaveBeenCalledTimes(1))
})

it('stays interpreted where a schema cannot be compiled', async () => {
  const generate = vi.fn(() => Promise.reject(new EvalError('no')))
  const validator = tieredWith(generate, 1)
  validator.isValid(value)
  await vi.waitFor(() => expect(generate).toHaveBeenCalled())
  expect(validator.isValid(value)).toBe(true)
  expect(validator.explain({ a: 1 })).toEqual([{ path: ['a'], message: 'must be string' }])
})

it('loads nothing where code cannot be generated', async () => {
  vi.stubGlobal('Function', () => {
    throw new EvalError('Code generation from strings disallowed for this context')
  })
  vi.resetModules()
  const fresh = await import('../../../src/schema/validate/tiered.ts')
  const generate = vi.fn(compileWithAjv)
  const validator = fresh.createTieredCompiler({ interpret, generate, hot: 1 }).compile(schema, 'author')
  for (let i = 0; i < 3; i++) expect(validator.isValid(value)).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(generate).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
})

it('never asks for a schema that refers to a metaschema', async () => {
  const generate = vi.fn(compileWithAjv)
  const compiler = createTieredCompiler({ interpret, generate, hot: 1 })
  const meta = compiler.compile({ $ref: 'https://json-schema.org/draft/2020-12/schema' }, 'author')
  const other = compiler.compile(schema, 'author')
  for (let i = 0; i < 3; i++) meta.isValid({ type: 'object' })
  other.isValid(value)
  await vi.waitFor(() => expect(generate).toHaveBeenCalled())
  expect(generate.mock.calls).toEqual([[schema]])
})

it('interprets what breaks the code that ajv generates', async () => {
  const constant = { const: { a: 1 } }
  const compiled = await compileWithAjv(constant)
  const trap = { valueOf: 1 }
  expect(() => compiled.isValid(trap)).toThrow(TypeError)
  const generate = vi.fn(() => Promise.resolve(compiled))
  const validator = createTieredCompiler({ interpret, generate, hot: 1 }).compile(constant, 'author')
  validator.isValid({ a: 1 })
  await vi.waitFor(() => expect(generate).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve))
  expect(validator.isValid(trap)).toBe(false)
  expect(validator.isValid({ a: 1 })).toBe(true)
})

it.each([
  ['interpreted', (): Promise<JsonValidator> => Promise.resolve(interpret({ uniqueItems: true }, 'author'))],
  ['compiled', (): Promise<JsonValidator> => compileWithAjv({ uniqueItems: true })],
])('finds equal items in time that grows with the list: %s', async (_, compile) => {
  const validator = await compile()
  const items: unknown[] = Array.from({ length: 100_000 }, (__, i) => ({ i }))
  expect(validator.isValid(items)).toBe(true)
  expect(validator.explain([...items, { i: 7 }])).toEqual([
    { path: [], message: 'must NOT have duplicate items (items ## 7 and 100000 are identical)' },
  ])
})
