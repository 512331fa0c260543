/**
 * Generates `docs/reference/api` from the JSDoc of the packages: a page for each entry point, and one for each class,
 * interface and function. Exits 1 if an export has no JSDoc or a `{@link}` does not resolve.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, LogLevel, ReflectionKind } from 'typedoc'

const docs = fileURLToPath(new URL('..', import.meta.url))
const packages = join(docs, '..', 'packages')
const out = join(docs, 'reference', 'api')

/** The packages, in the order in which authors need them. Other packages follow. */
const ORDER = [
  'core',
  'stdio',
  'fastify',
  'hono',
  'node',
  'testing',
  'auth',
  'cli',
  'client',
  'bridge',
  'skills',
  'openapi',
  'compose',
  'redis',
  'otel',
  'zod3',
  'json-schema',
]
const rank = (folder) => (ORDER.includes(folder) ? ORDER.indexOf(folder) : ORDER.length)
const manifests = readdirSync(packages)
  .toSorted((a, b) => rank(a) - rank(b))
  .map((folder) => {
    const path = join(packages, folder)
    return { path, ...JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) }
  })

/** The import name and the source file of every entry point. */
function entryPoints() {
  return manifests.flatMap(({ path, name, exports }) => {
    return Object.entries(exports)
      .filter(([, target]) => typeof target !== 'string')
      .map(([subpath, target]) => ({
        name: name + subpath.slice(1),
        source: join(path, target['jetway:source']),
      }))
  })
}

/** Replaces the names of modules: TypeDoc uses their file paths, but users need the name to import. */
function useImportNames(project, entries) {
  const moduleNameOf = (source) => relative(packages, source).replace(/(\/index)?\.ts$/, '')
  const names = new Map(entries.map(({ name, source }) => [moduleNameOf(source), name]))
  for (const module of project.children) module.name = names.get(module.name) ?? module.name
}

/** Returns the exports without JSDoc, as `module: name`. */
function undocumented(project) {
  const hasDocs = (reflection) =>
    reflection.kindOf(ReflectionKind.Reference) ||
    reflection.hasComment() ||
    reflection.signatures?.some((signature) => signature.hasComment()) === true
  return project.children.flatMap((module) =>
    module.children.filter((child) => !hasDocs(child)).map((child) => `${module.name}: ${child.name}`),
  )
}

/** Writes the page that lists the packages, each with its description and its entry points. */
function writeIndex(entries) {
  const row = ({ name, description }) => {
    const links = entries
      .filter((entry) => entry.name === name || entry.name.startsWith(`${name}/`))
      .map((entry) => `[\`${entry.name}\`](${entry.name}/index.md)`)
    return `| ${links.join('<br>')} | ${description} |`
  }
  const documented = manifests.filter(({ exports }) => Object.hasOwn(exports, '.'))
  const lines = [
    '# API',
    '',
    'Every export of every package, from its JSDoc.',
    '',
    '| import | |',
    '| --- | --- |',
  ]
  writeFileSync(join(out, 'index.md'), `${[...lines, ...documented.map(row)].join('\n')}\n`)
}

const entries = entryPoints()
const app = await Application.bootstrapWithPlugins({
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(docs, 'tsconfig.api.json'),
  entryPoints: entries.map(({ source }) => source),
  outputs: [{ name: 'markdown', path: out }],
  logLevel: LogLevel.Warn,
  readme: 'none',
  name: 'API',
  // `npm run check` already checks the types, with a different version of TypeScript.
  skipErrorChecking: true,
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeExternals: true,
  validation: { notExported: false, invalidLink: true },
  outputFileStrategy: 'members',
  membersWithOwnFile: ['Class', 'Interface', 'Function'],
  entryFileName: 'index',
  indexFormat: 'table',
  hidePageHeader: true,
  useCodeBlocks: true,
  // The ids that VitePress assigns to headings differ from the ones to which TypeDoc links.
  useHTMLAnchors: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  pageTitleTemplates: { index: 'API', module: '{name}' },
})

const project = await app.convert()
if (project !== undefined) {
  useImportNames(project, entries)
  rmSync(out, { recursive: true, force: true })
  app.validate(project)
  await app.generateOutputs(project)
  writeIndex(entries)
  for (const name of undocumented(project))
    app.logger.error(`${name} has no JSDoc. Describe it: it is public`)
}
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
