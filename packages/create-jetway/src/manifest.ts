import { readFileSync } from 'node:fs'

interface OwnManifest {
  readonly version: string
  /** All dependencies of the templates, at the versions that are tested in this repository. */
  readonly devDependencies: Readonly<Record<string, string>>
}

/** The manifest of a template, as a JSON object. */
export type Manifest = Readonly<Record<string, unknown>>

const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as OwnManifest

export const ownVersion: string = own.version

/**
 * Returns the version range for a dependency of a template. The ranges are part of the tarball, so that each
 * version of this package always creates the same project.
 */
function rangeOf(name: string): string {
  const range = own.devDependencies[name]
  if (range === undefined) throw new Error(`The devDependencies of create-jetway have no ${name}`)
  // In the published tarball, `workspace:` has already been replaced.
  return range.startsWith('workspace:') ? `^${ownVersion}` : range
}

const isObject = (value: unknown): value is Manifest =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Merges two manifests. Properties of the second one take precedence, and null removes a property.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function mergeManifests(first: Manifest, second: Manifest): Manifest {
  const merged = Object.entries(second).map(([key, value]) => {
    const before = first[key]
    return [key, isObject(before) && isObject(value) ? mergeManifests(before, value) : value] as const
  })
  const all = { ...first, ...Object.fromEntries(merged) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

/** Fills in the version ranges of the dependencies, and sorts them as package managers do. */
export function withRanges(manifest: Manifest): Manifest {
  const ranges = (['dependencies', 'devDependencies'] as const).flatMap((key) => {
    const names = Object.keys(manifest[key] ?? {}).toSorted()
    return names.length === 0 ? [] : [[key, Object.fromEntries(names.map((name) => [name, rangeOf(name)]))]]
  })
  return { ...manifest, ...(Object.fromEntries(ranges) as Manifest) }
}
