import { findDuplicates } from '@jetway/json-schema'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JsonSchema, JsonValidator } from '../../../src/schema/types.ts'
import { compileWithAjv } from '../../../src/schema/validate/ajv.ts'
import { interpret } from '../../../src/schema/validate/interpret.ts'
import { createTieredCompiler } from '../../../src/schema/validate/tiered.ts'

type IsValid = (value: unknown) => boolean

const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } }
const value = { a: 'x', b: 1 }

function tieredWith(generate: (schema: JsonSchema) => Promise<IsValid>, hot = 30): JsonValidator {
  return createTieredCompiler({ interpret, generate, hot })(schema, 'author')
}

/** Waits long enough for a queued compilation to run. */
const compilationsRun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

afterEach(() => void vi.unstubAllGlobals())

describe('createTieredCompiler', () => {
  it('compiles a schema exactly once, after enough values have been checked', async () => {
    const isValid = vi.fn<IsValid>().mockReturnValue(false)
    const generate = vi.fn<() => Promise<IsValid>>().mockResolvedValue(isValid)
    const validator = tieredWith(generate)
    for (let i = 0; i < 9; i++) expect(validator.isValid(value)).toBe(true)
    await compilationsRun()
    expect(generate).not.toHaveBeenCalled()
    for (let i = 0; i < 5; i++) expect(validator.isValid(value)).toBe(true)
    await vi.waitFor(() => expect(validator.isValid(value)).toBe(false))
    for (let i = 0; i < 50; i++) validator.isValid(value)
    await compilationsRun()
    expect(generate).toHaveBeenCalledTimes(1)
  })

  it('counts the values within each checked value, not the checks', async () => {
    const generate = vi.fn(compileWithAjv)
    const compile = createTieredCompiler({ interpret, generate, hot: 1_000 })
    const validator = compile({ type: 'array', items: { type: 'number' } }, 'author')
    validator.isValid(Array.from({ length: 2_000 }, (_, i) => i))
    await vi.waitFor(() => expect(generate).toHaveBeenCalledTimes(1))
  })

  it('compiles after 50,000 checked values by default', async () => {
    const generate = vi.fn(compileWithAjv)
    const validator = createTieredCompiler({ interpret, generate })({ items: { type: 'number' } }, 'author')
    const list = Array.from({ length: 10_000 }, (_, i) => i)
    for (let i = 0; i < 4; i++) validator.isValid(list)
    await compilationsRun()
    expect(generate).not.toHaveBeenCalled()
    for (let i = 0; i < 3; i++) validator.isValid(list)
    await vi.waitFor(() => expect(generate).toHaveBeenCalledTimes(1))
  })

  it('keeps using the interpreter and does not try again if compilation fails', async () => {
    const generate = vi.fn(() => Promise.reject(new EvalError('no')))
    const validator = tieredWith(generate, 1)
    validator.isValid(value)
    await vi.waitFor(() => expect(generate).toHaveBeenCalled())
    for (let i = 0; i < 5; i++) expect(validator.isValid(value)).toBe(true)
    await compilationsRun()
    expect(validator.isValid({ a: 1 })).toBe(false)
    expect(validator.explain({ a: 1 })).toEqual([{ path: ['a'], message: 'must be string' }])
    expect(generate).toHaveBeenCalledTimes(1)
  })

  it('compiles other schemas after one fails, each in a separate task', async () => {
    const order: string[] = []
    const generate = vi.fn(({ title }: JsonSchema) => {
      order.push(String(title))
      setTimeout(() => order.push('another task'))
      return title === 'bad' ? Promise.reject(new EvalError('no')) : compileWithAjv({})
    })
    const compile = createTieredCompiler({ interpret, generate, hot: 1 })
    const [bad, good, late] = ['bad', 'good', 'late'].map((title) => compile({ title }, 'author'))
    bad!.isValid(1)
    good!.isValid(1)
    for (let i = 0; i < 9; i++) await Promise.resolve()
    expect(order).toEqual([])
    await vi.waitFor(() => expect(order).toEqual(['bad', 'another task', 'good', 'another task']))
    await compilationsRun()
    late!.isValid(1)
    await vi.waitFor(() => expect(order).toContain('late'))
  })

  it('still uses the interpreter to describe issues after compilation', async () => {
    const validator = tieredWith(() => Promise.resolve(() => false), 1)
    validator.isValid(value)
    await vi.waitFor(() => expect(validator.isValid(value)).toBe(false))
    expect(validator.explain({ a: 1 })).toEqual([{ path: ['a'], message: 'must be string' }])
  })

  it('never compiles a schema that refers to a metaschema', async () => {
    const generate = vi.fn(compileWithAjv)
    const compile = createTieredCompiler({ interpret, generate, hot: 1 })
    const meta = compile({ $ref: 'https://json-schema.org/draft/2020-12/schema' }, 'author')
    const other = compile(schema, 'author')
    for (let i = 0; i < 3; i++) meta.isValid({ type: 'object' })
    other.isValid(value)
    await vi.waitFor(() => expect(generate).toHaveBeenCalled())
    expect(generate.mock.calls).toEqual([[schema]])
  })
})

it('`createTieredCompiler` compiles nothing on platforms that forbid code generation', async () => {
  vi.stubGlobal('Function', () => {
    throw new EvalError('Code generation from strings disallowed for this context')
  })
  vi.resetModules()
  const fresh = await import('../../../src/schema/validate/tiered.ts')
  const generate = vi.fn(compileWithAjv)
  const validator = fresh.createTieredCompiler({ interpret, generate, hot: 1 })(schema, 'author')
  for (let i = 0; i < 3; i++) expect(validator.isValid(value)).toBe(true)
  await compilationsRun()
  expect(generate).not.toHaveBeenCalled()
})

describe('a value that makes compiled code throw', () => {
  const constant = { const: { a: 1 } }
  const trap = { valueOf: 1 }

  it('is checked by the interpreter', async () => {
    const compiled = await compileWithAjv(constant)
    expect(() => compiled(trap)).toThrow(TypeError)
    const generate = vi.fn(() => Promise.resolve(compiled))
    const validator = createTieredCompiler({ interpret, generate, hot: 1 })(constant, 'author')
    validator.isValid({ a: 1 })
    await vi.waitFor(() => expect(generate).toHaveBeenCalled())
    await compilationsRun()
    expect(validator.isValid(trap)).toBe(false)
    expect(validator.isValid({ a: 1 })).toBe(true)
  })

  it('is not passed to the interpreter if it is nested too deeply', async () => {
    const compiled = vi.fn<IsValid>().mockImplementation(() => {
      throw new RangeError('Maximum call stack size exceeded')
    })
    const validator = tieredWith(() => Promise.resolve(compiled), 1)
    validator.isValid(value)
    await compilationsRun()
    expect(() => validator.isValid(value)).toThrow(RangeError)
    expect(compiled).toHaveBeenCalledTimes(1)
  })
})

it.each<[string, () => Promise<IsValid>]>([
  [
    'interpreted',
    () => Promise.resolve((given) => interpret({ uniqueItems: true }, 'author').isValid(given)),
  ],
  ['compiled', () => compileWithAjv({ uniqueItems: true })],
])('`uniqueItems` finds duplicates in linear time: %s', async (_, compile) => {
  const isValid = await compile()
  const items: unknown[] = Array.from({ length: 100_000 }, (__, i) => ({ i }))
  expect(isValid(items)).toBe(true)
  expect(isValid([...items, { i: 7 }])).toBe(false)
  expect(findDuplicates([...items, { i: 7 }])).toEqual([7, 100_000])
})
