/**
 * Returns a generator of random numbers from 0 to 1. Equal seeds produce equal numbers (xorshift32, which does
 * not work with a seed of 0).
 */
export function seeded(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}
