import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The arguments of Node that start a published server. */
export const original = (
  name: 'everything' | 'filesystem',
  ...args: readonly string[]
): readonly string[] => [
  join(
    dirname(fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/package.json`))),
    'dist/index.js',
  ),
  ...args,
]

/** The arguments of Node that start its port. */
export const port = (name: 'everything' | 'filesystem', ...args: readonly string[]): readonly string[] => [
  '--import',
  import.meta.resolve('tsx'),
  '--conditions=jetway:source',
  fileURLToPath(new URL(`../../../src/ports/${name}/main.ts`, import.meta.url)),
  ...args,
]
