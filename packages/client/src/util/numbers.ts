/** Whether a value is a number. JSON.parse makes Infinity of `1e999`. */
export const isFiniteNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)
