import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import type { Node } from 'oxc-parser'
import { codeLines, importsOf, literalsOf, namesUsed, walk, type Source } from './source.ts'

const coreSource = 'packages/core/src/'

/** The layers of core. Each one may import from itself and from earlier ones. Entry files come last. */
export const layers: readonly (readonly string[])[] = [
  ['errors', 'util'],
  ['protocol'],
  ['schema'],
  ['stores'],
  ['subscriptions'],
  ['call'],
  ['session'],
  ['tasks', 'duplex'],
  ['features'],
  ['server'],
  ['http'],
]

function memberOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

function layerOf(path: string, entries: readonly string[]): number {
  if (entries.includes(path)) return layers.length
  const [name = ''] = path.slice(coreSource.length).split(/[/.-]/)
  return layers.findIndex((layer) => layer.includes(name))
}

/** Returns the files in the same package that a file imports, as paths from the root. */
function relativeImports(source: Source): string[] {
  return importsOf(source)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => resolve(source.path, specifier))
}

/**
 * Returns the imports inside core that violate the order of the layers. `entries` are the files that core
 * exports.
 */
export function importOrder(source: Source, entries: readonly string[]): string[] {
  if (!source.path.startsWith(coreSource)) return []
  const own = layerOf(source.path, entries)
  if (own === -1) return [`${source.path} belongs to no layer`]
  return (
    relativeImports(source)
      // Importing package.json is allowed, because it contains the version.
      .filter((target) => target !== 'packages/core/package.json')
      .filter((target) => layerOf(target, entries) > own || layerOf(target, entries) === -1)
      .map((target) => `${source.path} must not import ${target}`)
  )
}

const httpSource = `${coreSource}http/`

/**
 * The import order inside core's `http/`. Each group may import from itself and from earlier ones. Files
 * directly in `http/` that the first group does not name come last, so no folder may import them.
 */
export const httpLayers: readonly (readonly string[])[] = [
  ['types', 'options', 'authenticate', 'refusals', 'caller-bytes', 'health', 'request-origin', 'sse-paths'],
  ['card', 'guard'],
  ['servers'],
  ['streams'],
  ['context'],
  ['nodes'],
  ['sessions'],
  ['streamable', 'legacy-sse'],
  ['adapter'],
]

/** Returns -1 for a folder that is not in any layer. */
function httpLayerOf(path: string): number {
  const [name = '', inside] = path.slice(httpSource.length).split('/')
  const layer = httpLayers.findIndex((names) => names.includes(name.replace(/\.ts$/, '')))
  return layer === -1 && inside === undefined ? httpLayers.length : layer
}

/** Returns the imports inside core's `http/` that violate the order of its layers. */
export function httpOrder(source: Source): string[] {
  if (!source.path.startsWith(httpSource)) return []
  const own = httpLayerOf(source.path)
  if (own === -1) return [`${source.path} belongs to no layer of http/`]
  return relativeImports(source)
    .filter((target) => target.startsWith(httpSource))
    .filter((target) => httpLayerOf(target) > own || httpLayerOf(target) === -1)
    .map((target) => `${source.path} must not import ${target}`)
}

/**
 * Returns pairs of folders that import each other, including type imports, with an import in each direction.
 * A folder and its subfolder may import each other, because an entry file imports everything below it.
 */
export function mutualImports(sources: readonly Source[]): string[] {
  const arrows = new Map<string, Map<string, string>>()
  for (const source of sources)
    for (const target of relativeImports(source)) {
      const [from, to] = [posix.dirname(source.path), posix.dirname(target)]
      if (`${from}/`.startsWith(`${to}/`) || to.startsWith(`${from}/`)) continue
      const targets = arrows.get(from) ?? new Map<string, string>()
      arrows.set(from, targets.set(to, `${source.path} imports ${target}`))
    }
  return [...arrows].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, there]) => {
      const back = arrows.get(to)?.get(from)
      return back !== undefined && from < to ? [`${there}, and ${back}`] : []
    }),
  )
}

export function lengthWall(source: Source, limit: number): string[] {
  const lines = codeLines(source)
  return lines > limit ? [`${source.path} has ${lines} lines of code, the wall is ${limit}`] : []
}

/** Returns folders with too many files, in which it is hard to find anything. Tests are exempt. */
export function roomSize(sources: readonly Source[], limit: number): string[] {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    const room = posix.dirname(path)
    counts.set(room, (counts.get(room) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > limit)
    .map(([room, count]) => `${room} has ${count} files, the limit is ${limit}`)
}

const revision = /2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28/

/**
 * Shared code must check a property of a revision rather than its date. Comments may contain dates in URLs of
 * the specification.
 */
export function dateLiterals(source: Source): string[] {
  if (source.path.startsWith(`${coreSource}protocol/revisions/`)) return []
  return literalsOf(source)
    .filter((text) => revision.test(text))
    .map((text) => `${source.path} holds a revision's date: ${text}`)
}

/** Returns whether a file is part of core, but not of the folder that defines how the revisions differ. */
const shared = ({ path }: Source): boolean =>
  path.startsWith(coreSource) && !path.startsWith(`${coreSource}protocol/revisions/`)

/**
 * Only code below protocol/revisions/ may define how the eras differ. Shared code must check a property of
 * the revision, and may not read the era.
 */
export function eraReads(source: Source): string[] {
  if (!shared(source)) return []
  const found: string[] = []
  const isEra = (node: Node): boolean => node.type === 'Identifier' && node.name === 'era'
  walk(source.program, (node) => {
    const reads =
      (node.type === 'MemberExpression' && isEra(node.property)) ||
      (node.type === 'ObjectPattern' && node.properties.some((it) => it.type === 'Property' && isEra(it.key)))
    if (reads) found.push(`${source.path} reads an era`)
  })
  return found
}

/** The functions that determine the era of a message or a route. */
const ERA_QUESTIONS = ['isStateless', 'namesVersion', 'selectRevision', 'ofEra', 'hasSessions']

/** A feature must treat clients of all eras alike, so it may not check the era. */
export function eraQuestions(source: Source): string[] {
  if (!source.path.startsWith(`${coreSource}features/`)) return []
  return ERA_QUESTIONS.filter((name) => namesUsed(source).has(name)).map(
    (name) => `${source.path} asks ${name}`,
  )
}

/** Returns the places at which messages of different eras take different paths. */
export function eraBranches(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => path.startsWith(coreSource) && !path.startsWith(`${coreSource}protocol/`))
    .flatMap(({ path, program }) => {
      const found: string[] = []
      walk(program, (node) => {
        if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return
        if (node.callee.name === 'isStateless') found.push(path)
      })
      return found
    })
}

const VERSION = /^(?:version|protocolVersion|revision)$/
const ORDERS = new Set(['<', '<=', '>', '>='])

/** Shared code may not check whether one revision is older than another. */
export function versionComparisons(source: Source): string[] {
  if (!shared(source)) return []
  const found: string[] = []
  const isVersion = (node: Node): boolean =>
    (node.type === 'Identifier' && VERSION.test(node.name)) ||
    (node.type === 'MemberExpression' && isVersion(node.property))
  walk(source.program, (node) => {
    if (node.type === 'BinaryExpression' && ORDERS.has(node.operator))
      if (isVersion(node.left) || isVersion(node.right)) found.push(`${source.path} compares versions`)
  })
  return found
}

/** Core and its validator must run wherever web standards are available. */
export function webStandardsOnly(source: Source): string[] {
  if (!source.path.startsWith(coreSource) && !source.path.startsWith('packages/json-schema/src/')) return []
  const modules = importsOf(source)
    .map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith('node:') || builtinModules.includes(specifier))
  const globals = ['process', 'Buffer', 'require', '__dirname', '__filename'].filter((name) =>
    namesUsed(source).has(name),
  )
  return [...modules, ...globals].map((name) => `${source.path} uses ${name}`)
}

/** A package may import another one only through its exported names, never through a path into it. */
export function publicSubpaths(
  source: Source,
  exported: Readonly<Record<string, readonly string[]>>,
): string[] {
  const member = memberOf(source.path)
  return importsOf(source)
    .map(({ specifier }) => specifier)
    .filter((specifier) => {
      if (specifier.startsWith('.')) return memberOf(resolve(source.path, specifier)) !== member
      if (!specifier.startsWith('@jetway/')) return false
      const name = specifier.split('/').slice(0, 2).join('/')
      return !(exported[name] ?? []).includes(`.${specifier.slice(name.length)}`)
    })
    .map((specifier) => `${source.path} must not import ${specifier}`)
}

const imports = (source: Source, names: readonly string[], typesToo: boolean): boolean =>
  importsOf(source).some(
    ({ specifier, typeOnly }) =>
      (typesToo || !typeOnly) && names.some((name) => specifier === name || specifier.startsWith(`${name}/`)),
  )

/** Only one file in core may import ajv, and only lazily. No file may import zod or its converter for zod 3. */
export function schemaLibraries(sources: readonly Source[]): string[] {
  const core = sources.filter(({ path }) => path.startsWith(coreSource))
  const ajv = core.filter((source) => imports(source, ['ajv', 'ajv-formats'], true)).map(({ path }) => path)
  const early = core.filter((source) =>
    importsOf(source).some(
      ({ specifier, typeOnly, dynamic }) => /^ajv(?:\/|$)/.test(specifier) && !typeOnly && !dynamic,
    ),
  )
  const zod = core
    .filter((source) => imports(source, ['zod', 'zod-to-json-schema'], false))
    .map(({ path }) => path)
  return [
    ...(ajv.length > 1 ? [`more than one file imports ajv: ${ajv.join(', ')}`] : []),
    ...early.map(({ path }) => `${path} loads ajv before a schema is hot`),
    ...zod.map((path) => `${path} loads zod`),
  ]
}

const unfinishedMark = /\b(?:TODO|FIXME|XXX)\b/
const testFunctions = ['describe', 'it', 'test']
const evasions = ['skip', 'only', 'todo', 'skipIf', 'runIf', 'fails']

/** Finds comments about unfinished work, and tests that do not run. */
export function unfinished(source: Source): string[] {
  const found = source.comments
    .filter(({ value }) => unfinishedMark.test(value))
    .map(({ value }) => `${source.path} has unfinished work: ${value.trim()}`)
  walk(source.program, (node) => {
    if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return
    if (!evasions.includes(node.property.name)) return
    const root = source.text.slice(node.start, node.end).match(/^\w+/)?.[0] ?? ''
    if (testFunctions.includes(root)) found.push(`${source.path} uses ${root}.${node.property.name}`)
  })
  return found
}

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly publishConfig?: { readonly exports?: unknown }
}

/**
 * Checks that the published exports equal those used in development, except for the condition that leads to
 * the source.
 */
export function publishedExports(manifest: Manifest): string[] {
  const expected = Object.fromEntries(
    Object.entries(manifest.exports ?? {}).map(([subpath, target]) => {
      if (typeof target === 'string') return [subpath, target]
      const { 'jetway:source': source, ...published } = target
      return [subpath, source === undefined ? 'no source' : published]
    }),
  )
  const same = JSON.stringify(expected) === JSON.stringify(manifest.publishConfig?.exports)
  return same ? [] : [`${manifest.name}: publishConfig.exports differs from exports`]
}
