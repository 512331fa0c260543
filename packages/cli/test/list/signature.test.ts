import { expect, it } from 'vitest'
import { promptSignature, toolSignature } from '../../src/list/signature.ts'

const signature = (properties: object, required: readonly string[] = []) =>
  toolSignature({ name: 'f', inputSchema: { type: 'object', properties, required } })

it.each([
  [{ id: { type: 'string' }, full: { type: 'boolean' } }, 'f(id: string, full?: boolean)'],
  [{ id: { type: ['string', 'null'] } }, 'f(id: string | null)'],
  [{ id: { enum: ['a', 1] } }, 'f(id: "a" | 1)'],
  [{ id: { const: 'a' } }, 'f(id: "a")'],
  [
    { id: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } } },
    'f(id: (string | number)[])',
  ],
  [{ id: { type: 'array' } }, 'f(id: unknown[])'],
  [{ id: { type: 'object', properties: { x: { type: 'integer' } } } }, 'f(id: { x?: integer })'],
  [{ id: { type: 'object' } }, 'f(id: object)'],
  [{ id: { $ref: '#/$defs/address' } }, 'f(id: address)'],
  [{ id: true }, 'f(id: unknown)'],
  [{ id: {} }, 'f(id: unknown)'],
  [{ id: { oneOf: [{ type: 'string' }, { type: 'string' }, true] } }, 'f(id: string | unknown)'],
  [{ id: { $ref: '#' } }, 'f(id: #)'],
  [{ id: { $ref: '#/' } }, 'f(id: object)'],
  [{ id: { type: ['array', 'null'], items: { type: 'integer' } } }, 'f(id: integer[] | null)'],
  [{ id: { type: 'object', properties: { x: {} }, required: 'x' } }, 'f(id: { x?: unknown })'],
  [{ id: { const: 'x'.repeat(78), type: 'string' } }, `f(id: "${'x'.repeat(78)}")`],
  [{ id: { const: 'x'.repeat(79), type: 'string' } }, 'f(id: string)'],
  [{ id: { const: 'x'.repeat(79) } }, 'f(id: unknown)'],
  [{ id: { enum: Array.from({ length: 40 }, (_, at) => `value ${at}`), type: 'string' } }, 'f(id: string)'],
])('toolSignature describes %j as %s', (properties, expected) => {
  expect(signature(properties, ['id'])).toBe(expected)
})

it('toolSignature shortens a deeply nested schema', () => {
  let deep: object = { type: 'string' }
  for (let depth = 0; depth < 10; depth++) deep = { type: 'object', properties: { a: deep } }
  expect(signature({ id: deep })).toBe('f(id?: { a?: { a?: object } })')
})

it("promptSignature lists a prompt's arguments", () => {
  expect(promptSignature({ name: 'p', arguments: [{ name: 'a', required: true }, { name: 'b' }] })).toBe(
    'p(a, b?)',
  )
  expect(promptSignature({ name: 'p' })).toBe('p()')
  expect(toolSignature({ name: 'f', inputSchema: { type: 'object' } })).toBe('f()')
})
