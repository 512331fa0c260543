export type RuntimeName = 'node-20' | 'node-22' | 'node-24' | 'node-26' | 'bun' | 'deno' | 'workerd'

/**
 * Absolute path of a runtime's executable.
 *
 * @throws Error if the runtime is not installed for this platform
 */
export declare function runtime(name: RuntimeName): string
