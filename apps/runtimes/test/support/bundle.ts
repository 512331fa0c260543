import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type BuildResult } from 'esbuild'

/** A bundle and its inputs. */
export type Bundle = BuildResult<{ write: false; metafile: true }>

/** Bundles sources for deployment: minified, in one file. */
export function pack(module: URL): Promise<Bundle> {
  return build({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['jetway:source', 'workerd', 'worker', 'browser'],
    write: false,
    metafile: true,
  })
}

/**
 * Runs a program that uses the bundle, in a process that forbids code generation. Returns the JSON that it
 * prints.
 */
export async function printed(bundle: Bundle, user: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'edge-'))
  try {
    const path = join(folder, 'bundle.mjs')
    await writeFile(path, bundle.outputFiles[0]?.contents ?? '')
    const args = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', user, path]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout) as unknown
  } finally {
    await rm(folder, { recursive: true })
  }
}
