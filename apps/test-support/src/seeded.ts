/** Numbers from 0 up to 1 that are the same for the same seed (xorshift32, which a seed of 0 would stop). */
export function seeded(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}
