/** Registered, so that two copies of this package know each other's marks. No JSON text can hold a symbol. */
export const BRAND: unique symbol = Symbol.for('dev.jetway/brand')

/** What a value made by one of the helpers is; a value without a brand is data, whatever it looks like. */
export type Brand = 'content' | 'result' | 'contents' | 'message' | 'messages' | 'input-required'

export interface Branded<B extends Brand> {
  readonly [BRAND]: B
}

export function brandOf(value: unknown): Brand | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<Branded<Brand>>)[BRAND] : undefined
}

/** Whether a value is an array in which everything has the brand. An empty array is data. */
export function isListOf(value: unknown, brand: Brand): value is readonly Branded<Brand>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => brandOf(item) === brand)
}
