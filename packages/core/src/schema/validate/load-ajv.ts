import type { AjvLibrary, CreateAjv } from './ajv-types.ts'
import { CannotCompile } from './cannot-compile.ts'

type Require = (specifier: string) => unknown

/** Loads ajv when the first instance is made. @throws CannotCompile where that cannot be done */
export const installedAjv: CreateAjv = (dialect, options) => loadAjv().create(dialect, options)

/**
 * Registration is synchronous, and so is this: by the loader that Node, Bun and Deno have for CommonJS. An `import` would
 * be run by every server, and be part of every bundle, also where a cache spares it all compilation.
 *
 * @throws CannotCompile on runtimes without such a loader, and in bundles, which have nothing beside them to be loaded
 * @see https://nodejs.org/api/process.html#processgetbuiltinmoduleid
 */
export function loadAjv(): AjvLibrary {
  let cause: unknown
  try {
    const require = createRequire()
    if (require !== undefined) return require('./ajv-library.cjs') as AjvLibrary
  } catch (error) {
    cause = error
  }
  throw new CannotCompile('ajv cannot be loaded here', { cause })
}

function createRequire(): Require | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(id: string): { createRequire(from: string): Require } | undefined }
  }
  return process?.getBuiltinModule?.('node:module')?.createRequire(import.meta.url)
}
