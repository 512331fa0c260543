/**
 * The packages and apps of the workspace, as paths from the root, such as
 * `packages/core` and `apps/recipes/h3`.
 */
export declare const members: readonly string[]
