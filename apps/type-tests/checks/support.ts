/**
 * Is true if two types are identical, not merely assignable to each other. It compares two functions that
 * would each distinguish their type from any other.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what they are for is to be compared
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only if the type argument is true. It is never run. */
export declare function holds<Claim extends true>(claim?: Claim): Claim
