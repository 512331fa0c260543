/** What a bundle's file needs besides its own code. */
export interface Prelude {
  /** The first lines of the file. */
  readonly banner: string
  /** Replacements of names that only CommonJS has. */
  readonly define: Readonly<Record<string, string>>
}

/**
 * Creates the prelude. Code of CommonJS packages calls `require` and reads `__dirname`, which ES modules do not have:
 * Fastify does not start without. `require` is a property, since modules often declare a constant of that name.
 *
 * Hosts leave the placeholder of a setting without a value as it is, so the prelude removes such variables.
 *
 * @param keys - the keys of `user_config` by variable
 */
export function preludeOf(keys: ReadonlyMap<string, string>): Prelude {
  const unset = [...keys].map(([name, key]) => [name, `\${user_config.${key}}`])
  const lines = [
    "import { createRequire as jetwayRequire } from 'node:module'",
    "import { fileURLToPath as jetwayPath } from 'node:url'",
    'globalThis.require ??= jetwayRequire(import.meta.url)',
    'const jetwayFilename = jetwayPath(import.meta.url)',
    "const jetwayDirname = jetwayPath(new URL('.', import.meta.url)).slice(0, -1)",
    ...(unset.length === 0
      ? []
      : [
          `for (const [name, placeholder] of ${JSON.stringify(unset)})`,
          '  if (process.env[name] === placeholder || process.env[name] === "") delete process.env[name]',
        ]),
  ]
  return { banner: lines.join('\n'), define: { __filename: 'jetwayFilename', __dirname: 'jetwayDirname' } }
}
