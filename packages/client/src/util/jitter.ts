/** The maximum random extension of a delay, as a fraction of the delay. */
const JITTER = 0.2

/** Extends a delay by up to 20 %, so that clients do not all reconnect to a server at the same time. */
export const jittered = (ms: number): number => ms * (1 + JITTER * Math.random())
