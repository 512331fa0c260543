import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

import { checkInput, engine, inputSite } from '../helpers.ts'

describe('engine.input', () => {
  it("applies zod's defaults, transforms and refinements, and drops unknown properties", async () => {
    const schema = z
      .object({ days: z.number().int().default(3), when: z.string().transform((text) => new Date(text)) })
      .refine(({ days }) => days !== 13, 'not that many')
    expect(await checkInput(schema, { when: '2026-01-01', extra: 1 })).toEqual({
      days: 3,
      when: new Date('2026-01-01'),
    })
    expect(await checkInput(schema, { when: '2026-01-01', days: 13 })).toEqual({ refused: 'not that many' })
  })

  it('is synchronous unless the schema is asynchronous', async () => {
    const schema = z.object({ a: z.string() })
    expect(engine.input(schema, inputSite).check({ a: 'x' })).toEqual({ ok: true, value: { a: 'x' } })
    const slow = engine.input(
      schema.refine(async ({ a }) => a === 'x', 'no'),
      inputSite,
    )
    expect(slow.check({ a: 'x' })).toBeInstanceOf(Promise)
    expect(await slow.check({ a: 'x' })).toEqual({ ok: true, value: { a: 'x' } })
    expect(await slow.check({ a: 'y' })).toEqual({ ok: false, issues: [{ path: [], message: 'no' }] })
  })

  it("rethrows an error thrown by the author's code", async () => {
    const schema = z.object({}).refine(() => {
      throw new Error('a bug')
    })
    await expect((async () => engine.input(schema, inputSite).check({}))()).rejects.toThrow('a bug')
  })

  it.each([
    ['in array items', z.array(z.string())],
    ['in unions', z.array(z.union([z.string(), z.boolean()]))],
    ['in an asynchronous schema', z.array(z.union([z.string(), z.boolean()])).refine(async () => true)],
  ])('stops after zod has reported 1,000 issues %s', async (_, list) => {
    const check = (length: number) =>
      checkInput(z.object({ a: list as z.ZodType }), { a: Array.from({ length }, (_item, at) => at) })
    expect(await check(2)).toMatchObject({ refused: expect.stringContaining('a[1]: Invalid input') })
    expect(await check(2_000)).toEqual({ refused: 'has more than 1000 issues' })
  })

  it('validates an invalid value only once', async () => {
    let calls = 0
    const schema = z.object({ a: z.string() }).refine(() => ++calls === 0, 'is refused')
    expect(await checkInput(schema, { a: 'x' })).toEqual({ refused: 'is refused' })
    expect(calls).toBe(1)
  })

  it('supports any Standard Schema', async () => {
    const schema = toStandardJsonSchema(
      v.object({ list: v.array(v.object({ n: v.optional(v.number(), 7) })) }),
    )
    expect(await checkInput(schema, { list: [{}] })).toEqual({ list: [{ n: 7 }] })
    expect(await checkInput(schema, { list: [{}, { n: 'x' }] })).toEqual({
      refused: 'list[1].n: Invalid type: Expected number but received "x"',
    })
  })

  it('reports the path of an issue even if the path contains symbols or numbers', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'made-by-hand',
        validate: () => ({ issues: [{ message: 'no', path: [{ key: 'a' }, 0, Symbol('s')] }] }),
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
      },
    }
    expect(await checkInput(schema, {})).toEqual({ refused: 'a[0]["Symbol(s)"]: no' })
  })

  it('rejects a value that is nested too deeply, without overflowing the stack', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#' } } }
    let deep: unknown = {}
    for (let i = 0; i < 100_000; i++) deep = { a: deep }
    expect(engine.input(schema, inputSite).check(deep)).toEqual({
      ok: false,
      issues: [{ path: [], message: 'is nested too deeply' }],
    })
  })
})
