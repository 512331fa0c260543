/** The result of one timed run. */
export interface LoadResult {
  readonly completed: number
  readonly seconds: number
  /** Returns a quantile of sorted values, or undefined if there are none. */
  readonly latencies: Float64Array
}

/** Returns a quantile of sorted values; undefined if there are none. */
export function percentile(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Returns the median, or NaN if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[half - 1], sorted[half]]
  if (high === undefined) return Number.NaN
  return sorted.length % 2 === 1 || low === undefined ? high : (low + high) / 2
}

/** Collects latencies without allocating memory while the clock is running. */
export class Latencies {
  #values = new Float64Array(1 << 16)
  #count = 0

  add(ms: number): void {
    if (this.#count === this.#values.length) {
      const grown = new Float64Array(this.#count * 2)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.#count++] = ms
  }

  sorted(): Float64Array {
    return this.#values.subarray(0, this.#count).toSorted()
  }
}
