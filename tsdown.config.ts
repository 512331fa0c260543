import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'

interface Manifest {
  exports?: Record<string, string | { 'jetway:source': string }>
  /** Paths of built commands: `./src/main.ts` becomes `./dist/main.js`. */
  bin?: Record<string, string>
}

interface Named {
  readonly name: string
  readonly version: string
}

const shared: UserConfig = { format: 'esm', target: 'node20.19', fixedExtension: false, logLevel: 'warn' }

/**
 * What core carries inside its own files. As packages of their own they are some hundred and fifty small files, whose
 * loading costs a process more than all the rest of core: docs/design/decisions/bundled-dependencies.md.
 */
const CARRIED = ['zod-to-json-schema']

/**
 * What is carried in a file of its own that nothing imports: it is loaded when the first schema is compiled, which a
 * server with a schema cache never does, and which CommonJS alone can do synchronously.
 */
const LATE = ['ajv', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse']
const LATE_FILE = 'ajv-library'

/**
 * Core's own modules in few files, for the same reason: each that Node loads takes a process about a millisecond. A group
 * takes what its modules import along, so the groups follow the order of imports, the lowest first. What makes a schema
 * cache stays apart.
 */
const GROUPS = [
  ofCore('protocol', String.raw`errors|(?:util|protocol)/.*`),
  ofCore(
    'schema',
    String.raw`schema/(?!zod3|validate/bundled-ajv|validate/standalone|cache/warm|cache/render|cache/check-cache).*`,
  ),
  ofCore('server', String.raw`(?:stores|subscriptions|call|session|tasks|duplex|features)/(?!skills/).*`),
].map((group, at, { length }) => ({ ...group, priority: length - at }))

function ofCore(name: string, paths: string): { readonly name: string; readonly test: RegExp } {
  // Not for declarations (`.d.ts`): the bundler chunks those by itself.
  return {
    name,
    test: new RegExp(`/packages/core/src/(?:${paths})(?<!\\.d)\\.ts$`.replaceAll('/', String.raw`[\\/]`)),
  }
}

/** The source files of all exports and commands in a member's package.json. */
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
  const common: UserConfig = { ...shared, cwd, entry: entriesOf(cwd), dts: { oxc: true } }
  return cwd === 'packages/core' ? core(common) : { ...common, platform: 'node', deps: { onlyBundle: [] } }
}

function core(common: UserConfig): UserConfig {
  return {
    ...common,
    platform: 'neutral',
    deps: { onlyBundle: CARRIED, neverBundle: [new RegExp(`/${LATE_FILE}\\.cjs$`)] },
    // A neutral platform has no idea of its own of where packages keep their modules.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    outputOptions: {
      codeSplitting: { groups: GROUPS },
      comments: { jsdoc: false },
      paths: (id) => (id.endsWith(`/${LATE_FILE}.cjs`) ? `./${LATE_FILE}.cjs` : id),
    },
    // The declarations use Disposable, which neither the default `lib` of TypeScript nor, without Node's types, anything else declares.
    banner: { dts: '/// <reference lib="esnext.disposable" />' },
    plugins: [licences()],
  }
}

type Plugin = Extract<NonNullable<UserConfig['plugins']>, { readonly name: string }>

/** Those who carry code of others carry their licences: a file with those of every package that is in the bundle. */
function licences(): Plugin {
  return {
    name: 'licences-of-what-is-carried',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = new Set(
        modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []),
      )
      const texts = [...folders, ...foldersOfLate()].toSorted().map(licenceOf)
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: texts.join('\n\n') })
    },
  }
}

/** Of what the other build of core carries, where its packages find each other. */
function foldersOfLate(): string[] {
  const ajv = realpathSync('packages/core/node_modules/ajv')
  return LATE.map((name) => (name === 'ajv' ? ajv : realpathSync(join(ajv, '..', name))))
}

/** Ajv as one file, by the path at which core's sources have it, too. */
function lateFile(cwd: string): UserConfig {
  return {
    ...shared,
    logLevel: 'error',
    cwd,
    entry: { [LATE_FILE]: `src/schema/validate/${LATE_FILE}.cjs` },
    format: 'cjs',
    outExtensions: () => ({ js: '.cjs' }),
    platform: 'node',
    deps: { onlyBundle: LATE },
    clean: false,
    dts: false,
  }
}

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Named
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} is bundled and has no licence to go with it`)
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}

/** An app's `dist` mirrors its `src` file by file, so that any of them can be started as a process of its own. */
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

function members(folder: string): string[] {
  return readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((member) => existsSync(`${member}/src`))
}

const config: UserConfig[] = defineConfig([
  ...members('packages').map(library),
  lateFile('packages/core'),
  ...members('apps').map(application),
])
export default config
