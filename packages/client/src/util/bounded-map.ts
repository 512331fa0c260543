/** The limits of a {@link BoundedMap}. */
export interface MapLimits<Key, Value> {
  readonly maxEntries: number
  readonly maxWeight?: number
  readonly weigh?: (key: Key, value: Value) => number
}

/**
 * A map that, when it is full, drops the entries that were written longest ago. An entry that exceeds the
 * weight limit on its own is not kept.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limits: Required<MapLimits<Key, Value>>
  readonly #weights = new Map<Key, number>()
  #weight = 0

  constructor(limits: MapLimits<Key, Value>) {
    super()
    this.#limits = { maxWeight: Infinity, weigh: () => 0, ...limits }
  }

  override set(key: Key, value: Value): this {
    const { maxEntries, maxWeight, weigh } = this.#limits
    this.delete(key)
    const weight = weigh(key, value)
    if (weight > maxWeight) return this
    this.#weights.set(key, weight)
    this.#weight += weight
    super.set(key, value)
    for (const oldest of this.keys()) {
      if (this.size <= maxEntries && this.#weight <= maxWeight) break
      this.delete(oldest)
    }
    return this
  }

  override delete(key: Key): boolean {
    this.#weight -= this.#weights.get(key) ?? 0
    this.#weights.delete(key)
    return super.delete(key)
  }

  override clear(): void {
    this.#weights.clear()
    this.#weight = 0
    super.clear()
  }
}
