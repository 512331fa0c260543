import { dirname, relative, resolve } from 'node:path'
import minVersion from 'semver/ranges/min-version.js'
import { CliError } from '../errors.ts'
import { CONDITION_FLAGS } from '../own-files.ts'
import { type BuildFailure, type BuildResult, isBuildFailure, loadEsbuild, type Plugin } from './esbuild.ts'
import { hasNativeCode, type InstalledPackage, packageOfInput } from './installed-package.ts'
import { preludeOf } from './prelude.ts'
import { userConfigKeys } from './user-config.ts'
import type { Project } from '../project/project.ts'

export interface CompileOptions {
  readonly project: Project
  /** The export to serve. Undefined for a program that starts its own server. */
  readonly definition: string | undefined
  /** The names of packages that are not bundled. */
  readonly external: readonly string[]
}

/** A server in one file. */
export interface Compiled {
  readonly code: string
  /** The packages whose code is in the file, keyed by folder. */
  readonly packages: readonly InstalledPackage[]
  /** The names of packages that must be installed next to the file. */
  readonly external: readonly string[]
}

/** The oldest version of Node.js that the command supports. */
const OLDEST_NODE = '20.19.0'

/** Bundles a server and its dependencies, except for packages with native code. @throws CliError `failed` */
export async function compile(options: CompileOptions): Promise<Compiled> {
  const { folder } = options.project.packageJson
  const external = new Set(options.external)
  // The build is repeated until it finds no more packages with native code. Packages that have been found are
  // excluded from the next build.
  for (;;) {
    const natives = new Set<string>()
    const { outputFiles, metafile } = await build(options, [...external], (path) => natives.add(path))
    const packages = packagesOf(usedInputs(metafile), folder)
    const found = [
      ...[...natives].flatMap((path) => packageOfInput(path) ?? []),
      ...packages.filter(hasNativeCode),
    ].filter(({ name, folder: its }) => its !== folder && !external.has(name))
    if (found.length === 0)
      return { code: outputFiles[0]?.text ?? '', packages, external: [...external].toSorted() }
    for (const { name } of found) external.add(name)
  }
}

const usedInputs = ({ outputs }: BuildResult['metafile']): readonly string[] =>
  Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))

function packagesOf(inputs: readonly string[], folder: string): readonly InstalledPackage[] {
  const byFolder = new Map<string, InstalledPackage>()
  for (const input of inputs) {
    const found = packageOfInput(resolve(folder, input))
    if (found !== undefined && found.folder !== folder) byFolder.set(found.folder, found)
  }
  return [...byFolder.values()]
}

async function build(
  { project, definition }: CompileOptions,
  external: readonly string[],
  onNative: (path: string) => void,
): Promise<BuildResult> {
  const { file, packageJson, jetwayJson } = project
  const natives: Plugin = {
    name: 'native-files',
    setup(bundler) {
      bundler.onLoad({ filter: /\.node$/ }, ({ path }) => {
        onNative(path)
        return { contents: '' }
      })
    },
  }
  const { banner, define } = preludeOf(userConfigKeys(jetwayJson))
  try {
    return await loadEsbuild().build({
      ...entryOf(file, definition),
      absWorkingDir: packageJson.folder,
      bundle: true,
      write: false,
      metafile: true,
      outfile: 'server/index.js',
      format: 'esm',
      platform: 'node',
      target: `node${(minVersion(packageJson.node ?? OLDEST_NODE) ?? OLDEST_NODE).toString()}`,
      charset: 'utf8',
      // Removes dead code. Names and line breaks are preserved for stack traces and reviewers.
      minifySyntax: true,
      logLevel: 'silent',
      conditions: CONDITION_FLAGS.map((flag) => flag.replace(/^[^=]*=/, '')),
      external: external.flatMap((name) => [name, `${name}/*`]),
      banner: { js: banner },
      define,
      plugins: [natives],
    })
  } catch (error) {
    if (isBuildFailure(error)) throw buildError(error, definition !== undefined)
    throw error
  }
}

/** A definition does not serve itself, so its bundle starts with a module that serves it over stdio. */
function entryOf(file: string, definition: string | undefined): Readonly<Record<string, unknown>> {
  if (definition === undefined) return { entryPoints: [file] }
  const path = `./${relative(dirname(file), file)}`
  const contents = [
    "import { serveStdio } from '@jetway/stdio'",
    `import * as exports from ${JSON.stringify(path)}`,
    `await serveStdio(exports[${JSON.stringify(definition)}])`,
  ].join('\n')
  return { stdin: { contents, resolveDir: dirname(file), sourcefile: 'serve-stdio.js', loader: 'js' } }
}

function buildError({ errors }: BuildFailure, isDefinition: boolean): CliError {
  const texts = errors.map(({ text, location }) =>
    location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`,
  )
  const needsStdio = isDefinition && texts.some((text) => text.includes('"@jetway/stdio"'))
  return new CliError('failed', `The server cannot be bundled:\n${texts.slice(0, 10).join('\n')}`, {
    hint: needsStdio
      ? 'A bundle is served over stdio: npm install @jetway/stdio'
      : 'Correct the file, or leave a package out of the bundled file with --external NAME',
  })
}
