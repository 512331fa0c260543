import type { HandlerResult } from '../../call/result.ts'

/** A registered symbol, which several copies of this package can share. It cannot occur in JSON. */
export const BRAND: unique symbol = Symbol.for('dev.jetway/brand')

/** The name of the helper that created a value. A value without a brand is treated as data. */
export type Brand = 'content' | 'result' | 'contents' | 'message' | 'messages' | 'input-required' | 'relayed'

export interface Branded<B extends Brand> {
  readonly [BRAND]: B
}

/** A result that is sent as it is. Only packages that compose servers make it. */
export interface Relayed extends Branded<'relayed'> {
  readonly result: HandlerResult
}

/** Returns whether a handler has returned another server's result, which is sent as it is. */
export const isRelayed = (value: unknown): value is Relayed => brandOf(value) === 'relayed'

/** Returns the brand of a value, or undefined for data. */
export function brandOf(value: unknown): Brand | undefined {
  return typeof value === 'object' && value !== null ? (value as Partial<Branded<Brand>>)[BRAND] : undefined
}

/** An empty array is treated as data. */
export function isListOf(value: unknown, brand: Brand): value is readonly Branded<Brand>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => brandOf(item) === brand)
}
