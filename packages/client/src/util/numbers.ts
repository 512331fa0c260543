/** Returns whether a value is a finite number. `JSON.parse` converts `1e999` to Infinity. */
export const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)
