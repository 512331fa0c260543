/** By how much chance lengthens a delay. */
const JITTER = 0.2

/** A delay that is up to a fifth longer, so that clients do not return to a server all at once. */
export const jittered = (ms: number): number => ms * (1 + JITTER * Math.random())
