import { createRequire } from 'node:module'

/** The part of esbuild that `jetway bundle` uses. */
export interface Esbuild {
  build(options: BuildOptions): Promise<BuildResult>
}

export interface BuildOptions {
  readonly [option: string]: unknown
  readonly plugins: readonly Plugin[]
}

export interface BuildResult {
  readonly outputFiles: readonly { readonly text: string }[]
  readonly metafile: Metafile
}

export interface Metafile {
  /** The files that were read, relative to `absWorkingDir`. */
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, Output>>
}

interface Output {
  /** The files whose code is in the output, with the number of bytes that each file contributes. */
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
}

export interface Plugin {
  readonly name: string
  setup(bundler: PluginBuild): void
}

export interface PluginBuild {
  onLoad(
    filter: { readonly filter: RegExp },
    load: (file: { readonly path: string }) => { readonly contents: string },
  ): void
}

/** A failed build. */
export interface BuildFailure {
  readonly errors: readonly BuildMessage[]
}

export interface BuildMessage {
  readonly text: string
  readonly location: { readonly file: string; readonly line: number; readonly column: number } | null
}

/** Loads the esbuild that tsx depends on, because pnpm hides it from other packages. */
export function loadEsbuild(): Esbuild {
  const ofTsx = createRequire(createRequire(import.meta.url).resolve('tsx/package.json'))
  return ofTsx('esbuild') as Esbuild
}

export const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && Array.isArray((error as Error & Partial<BuildFailure>).errors)
