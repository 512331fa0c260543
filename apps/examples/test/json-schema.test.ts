import { expect, it } from 'vitest'
import { orderProblem } from '../src/json-schema/validate.ts'

it('the example validates a value against a JSON Schema', () => {
  const id = '123e4567-e89b-12d3-a456-426614174000'
  expect(orderProblem({ id, items: [{ sku: 'a' }] })).toBeUndefined()
  expect(orderProblem({ id, items: [{ sku: 'a' }, {}] })).toBe("/items/1: must have required property 'sku'")
  expect(orderProblem({ id: 'x', items: [] })).toBe('/id: must match format "uuid"')
  expect(orderProblem([])).toBe('/: must be object')
})
