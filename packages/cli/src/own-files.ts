import { extname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** The extension of this command's own files: `.ts` in the repository, `.js` in the package. */
const OWN_EXTENSION = extname(import.meta.url)

/** The program that runs a server's file. It must be an entry point of the build. */
const HARNESS = fileURLToPath(new URL(`./harness${OWN_EXTENSION}`, import.meta.url))

/** The program of this command. */
const BIN = fileURLToPath(new URL(`./bin${OWN_EXTENSION}`, import.meta.url))

/**
 * This process's `--conditions` flags. They are passed on, so that servers resolve packages in the same way as
 * this process.
 */
export const CONDITION_FLAGS: readonly string[] = process.execArgv.filter((arg) =>
  /^(?:-C|--conditions)=/.test(arg),
)

const TYPESCRIPT = /\.[cm]?tsx?$/i

/**
 * Returns the arguments to `process.execPath` that run a server's file in the harness. TypeScript files run
 * with tsx.
 *
 * @param args - the arguments of the file itself
 */
export function harnessArguments(
  file: string,
  exportName: string | undefined,
  args: readonly string[] = [],
): readonly string[] {
  const loader =
    TYPESCRIPT.test(file) || OWN_EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : []
  return [...CONDITION_FLAGS, ...loader, HARNESS, file, exportName ?? '', ...args]
}

/** Returns the arguments to `process.execPath` that run this command. */
export function commandArguments(): readonly string[] {
  const loader = OWN_EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : []
  return [...CONDITION_FLAGS, ...loader, BIN]
}
