import type { Ajv, CreateAjv, Options } from './ajv-modules.ts'
import type { Dialect } from './dialect.ts'
import { CannotCompile } from './cannot-compile.ts'

type Require = (specifier: string) => unknown

/** Each loads what its dialect needs, and not the other two. */
const SOURCES: { readonly [D in Dialect]: readonly [module: string, name: string] } = {
  'draft-2020-12': ['ajv/dist/2020.js', 'Ajv2020'],
  'draft-2019-09': ['ajv/dist/2019.js', 'Ajv2019'],
  'draft-07': ['ajv', 'Ajv'],
}

/**
 * Loads ajv when the first schema has to be compiled, which is synchronous, as registration is: by the loader that Node,
 * Bun and Deno have for CommonJS. An `import` would be loaded by every server, and be part of every bundle, also where
 * a cache spares it all compilation. https://nodejs.org/api/process.html#processgetbuiltinmoduleid
 */
export const installedAjv: CreateAjv = (dialect, options) => {
  const [module, name] = SOURCES[dialect]
  const exported = load(module) as { readonly [name: string]: new (options: Options) => Ajv }
  return new exported[name]!(options)
}

/** @throws CannotCompile where it cannot be loaded */
export const installedAjvVersion = (): string => (load('ajv/package.json') as { version: string }).version

function load(module: string): unknown {
  let cause: unknown
  try {
    const require = createRequire()
    if (require !== undefined) return require(module)
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
