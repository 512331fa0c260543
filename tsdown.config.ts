import { existsSync, readFileSync } from 'node:fs'
import { defineConfig, type UserConfig } from 'tsdown'
import { members } from './scripts/members.mjs'

interface Manifest {
  exports?: Record<string, string | { 'jetway:source': string }>
  /** The paths of built commands. `./src/main.ts` becomes `./dist/main.js`. */
  bin?: Record<string, string>
}

const shared: UserConfig = { format: 'esm', target: 'node20.19', fixedExtension: false, logLevel: 'warn' }

/**
 * Groups that bundle core's own modules into few files, because each file takes Node about a millisecond to
 * load. A group also includes everything that its modules import, so the groups are in import order, lowest
 * first.
 */
const GROUPS = [
  ofCore('protocol', String.raw`errors|(?:util|protocol)/.*`),
  ofCore('schema', 'schema/(?!index).*'),
  ofCore('server', String.raw`(?:stores|subscriptions|call|session|tasks|duplex|features)/.*`),
].map((group, at, { length }) => ({ ...group, priority: length - at }))

function ofCore(name: string, paths: string): { readonly name: string; readonly test: RegExp } {
  // Declarations (`.d.ts`) are excluded, because the bundler splits them itself.
  return {
    name,
    test: new RegExp(`/packages/core/src/(?:${paths})(?<!\\.d)\\.ts$`.replaceAll('/', String.raw`[\\/]`)),
  }
}

/** Returns the source files of all exports and commands in a package.json. */
function entriesOf(cwd: string): Record<string, string> {
  const { exports = {}, bin = {} } = JSON.parse(readFileSync(`${cwd}/package.json`, 'utf8')) as Manifest
  const targets = Object.values(exports).filter((target) => typeof target !== 'string')
  const sources = targets.map((target) => target['jetway:source'])
  const commands = Object.values(bin).map((path) => path.replace('/dist/', '/src/').replace(/\.js$/, '.ts'))
  return Object.fromEntries(
    [...sources, ...commands].map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ''), source]),
  )
}

function library(cwd: string): UserConfig {
  const common: UserConfig = {
    ...shared,
    cwd,
    entry: entriesOf(cwd),
    dts: { oxc: true },
    deps: { onlyBundle: [] },
  }
  if (cwd === 'packages/core') return core(common)
  if (cwd === 'packages/cli') return command(common, { harness: './src/harness.ts' })
  if (cwd === 'packages/create-jetway') return command(common)
  return cwd === 'packages/json-schema' ? { ...common, ...NEUTRAL } : { ...common, platform: 'node' }
}

/** Removes JSDoc, because short-lived processes load the code. Editors read JSDoc from the declarations. */
const SMALL = { comments: { jsdoc: false } } satisfies UserConfig['outputOptions']

/** Options for code that runs wherever web standards are available. */
const NEUTRAL = { platform: 'neutral', outputOptions: SMALL } satisfies UserConfig

function core(common: UserConfig): UserConfig {
  return {
    ...common,
    ...NEUTRAL,
    outputOptions: { ...SMALL, codeSplitting: { groups: GROUPS } },
    // The declarations use Disposable, which is missing from TypeScript's default `lib`, and which nothing else
    // declares without Node's types.
    banner: { dts: '/// <reference lib="esnext.disposable" />' },
  }
}

/**
 * A command bundles our other packages, so that few files are loaded at startup. They are bundled from
 * source, because they are built at the same time. Its third-party dependencies are declared, and therefore
 * not bundled.
 */
function command(common: UserConfig, files: Readonly<Record<string, string>> = {}): UserConfig {
  return {
    ...common,
    entry: { ...(common.entry as Record<string, string>), ...files },
    platform: 'node',
    outputOptions: SMALL,
    deps: {},
    inputOptions: { resolve: { conditionNames: ['jetway:source', 'import', 'node', 'default'] } },
  }
}

/** The `dist` of an app mirrors its `src` file by file, so that a process can start any of the files. */
function application(cwd: string): UserConfig {
  return {
    ...shared,
    cwd,
    entry: ['src/**/*.ts', '!src/**/*.d.ts'],
    unbundle: true,
    platform: 'node',
    dts: false,
  }
}

/** A server of the benchmark in a single file, as a user's bundler would create it. */
const oneFile: UserConfig = {
  ...shared,
  cwd: 'apps/bench',
  entry: { 'jetway-stdio': './src/servers/jetway-stdio.ts' },
  // This is outside `dist`, because that folder is emptied by its own build.
  outDir: 'one-file/dist',
  platform: 'node',
  dts: false,
  minify: true,
  deps: { alwaysBundle: [/./] },
  inputOptions: { resolve: { conditionNames: ['jetway:source', 'import', 'node', 'default'] } },
}

const built = members.filter((member) => existsSync(`${member}/src`))

const config: UserConfig[] = defineConfig([
  ...built.filter((member) => member.startsWith('packages/')).map(library),
  ...built.filter((member) => member.startsWith('apps/')).map(application),
  oneFile,
])
export default config
