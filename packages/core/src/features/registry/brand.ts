/** A registered symbol, which several copies of this package can share. It cannot occur in JSON. */
export const BRAND: unique symbol = Symbol.for('dev.jetway/brand')

/** The name of the helper that created a value. A value without a brand is treated as data. */
export type Brand = 'content' | 'result' | 'contents' | 'message' | 'messages' | 'input-required'

export interface Branded<B extends Brand> {
  readonly [BRAND]: B
}

export function brandOf(value: unknown): Brand | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<Branded<Brand>>)[BRAND] : undefined
}

/** An empty array is treated as data. */
export function isListOf(value: unknown, brand: Brand): value is readonly Branded<Brand>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => brandOf(item) === brand)
}
