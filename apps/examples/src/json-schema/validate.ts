import { createValidator } from '@jetway/json-schema'

// #region validate
const order = createValidator({
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    items: { type: 'array', items: { type: 'object', required: ['sku'] }, minItems: 1 },
  },
  required: ['id', 'items'],
})

export function orderProblem(value: unknown): string | undefined {
  if (order.isValid(value)) return undefined
  const [error] = order.errors(value)
  return `${error?.instancePath || '/'}: ${error?.message}`
}
// #endregion
