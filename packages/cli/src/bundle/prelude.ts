/** Code that a bundled file needs in addition to the server's own code. */
export interface Prelude {
  /** The first lines of the file. */
  readonly banner: string
  /** Replacements for names that exist only in CommonJS. */
  readonly define: Readonly<Record<string, string>>
}

/**
 * Creates the prelude. CommonJS packages use `require` and `__dirname`, which ES modules do not have. For
 * example, Fastify does not start without them. `require` is a global property, because modules often declare
 * a constant with that name.
 *
 * If a setting has no value, hosts pass its placeholder unchanged, so the prelude removes such variables.
 *
 * @param keys - the keys of `user_config`, keyed by variable
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
