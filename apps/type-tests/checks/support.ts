/**
 * Whether two types are one and the same, not merely assignable: two functions that
 * would tell a third type apart.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what they are for is to be compared
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles where the type argument is true; never run. */
export declare function holds<Claim extends true>(claim?: Claim): Claim
