import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program } from '@jetway-tools/runtimes/program'

/** Returns the arguments to Node that start a published server. */
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

/** Returns the arguments to Node that start the server's port. */
export const port = (name: 'everything' | 'filesystem', ...args: readonly string[]): readonly string[] => [
  ...program(new URL(`../../../src/ports/${name}/main.ts`, import.meta.url)),
  ...args,
]
