/**
 * Makes `docs/reference/api` of the docstrings of what the packages export: a page for each entry point. Exits 1 when
 * an export has no docstring, or a docstring links to something that is not there.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, LogLevel, ReflectionKind } from 'typedoc'

const docs = fileURLToPath(new URL('..', import.meta.url))
const packages = join(docs, '..', 'packages')
const out = join(docs, 'reference', 'api')

/** The source of every entry point, by the name that it is imported by. */
function entryPoints() {
  return readdirSync(packages).flatMap((folder) => {
    const path = join(packages, folder)
    const { name, exports } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    return Object.entries(exports)
      .filter(([, target]) => typeof target !== 'string')
      .map(([subpath, target]) => ({
        name: name + subpath.slice(1),
        source: join(path, target['jetway:source']),
      }))
  })
}

/** TypeDoc calls a module by its place in the file system; readers know it by the name that they import. */
function rename(project, entries) {
  const placeOf = (source) => relative(packages, source).replace(/(\/index)?\.ts$/, '')
  const names = new Map(entries.map(({ name, source }) => [placeOf(source), name]))
  for (const module of project.children) module.name = names.get(module.name) ?? module.name
}

/** The exports that nobody has described, each as `module: name`. */
function undocumented(project) {
  const described = (reflection) =>
    reflection.kindOf(ReflectionKind.Reference) ||
    reflection.hasComment() ||
    reflection.signatures?.some((signature) => signature.hasComment()) === true
  return project.children.flatMap((module) =>
    module.children.filter((child) => !described(child)).map((child) => `${module.name}: ${child.name}`),
  )
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
  // Types have a check of their own, by the compiler that the repository uses.
  skipErrorChecking: true,
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  validation: { notExported: false, invalidLink: true },
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  // VitePress makes other ids of headings than TypeDoc's links expect.
  useHTMLAnchors: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  pageTitleTemplates: { index: 'API', module: '{name}' },
})

const project = await app.convert()
if (project !== undefined) {
  rename(project, entries)
  rmSync(out, { recursive: true, force: true })
  app.validate(project)
  await app.generateOutputs(project)
  for (const name of undocumented(project)) app.logger.error(`${name} has no docstring`)
}
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1
