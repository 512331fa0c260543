import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '@jetway/core/protocol'
import { readRegularFile } from '../regular-file.ts'

/** An installed package. */
export interface InstalledPackage {
  readonly folder: string
  readonly name: string
  readonly version: string
  readonly licence: string | undefined
  readonly dependencies: readonly string[]
  /** Dependencies that may be missing: optional dependencies and all peer dependencies. */
  readonly optional: readonly string[]
}

/** Finds the package to which a file belongs: the nearest `package.json` with a name and a version. */
export function packageOfInput(path: string): InstalledPackage | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = readPackage(folder)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Reads the package in a folder. Returns undefined for a manifest without a name, which some packages contain
 * in subfolders.
 */
export function readPackage(folder: string): InstalledPackage | undefined {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return undefined
  try {
    const content = JSON.parse(readRegularFile(path).toString()) as unknown
    if (!isObject(content) || typeof content['name'] !== 'string' || typeof content['version'] !== 'string')
      return undefined
    const { name, version } = content
    return { folder, name, version, licence: licenceOf(content), ...dependenciesOf(content) }
  } catch {
    return undefined
  }
}

function licenceOf({ license, licenses }: Readonly<Record<string, unknown>>): string | undefined {
  const given = license ?? (Array.isArray(licenses) ? licenses[0] : licenses)
  const type = isObject(given) ? given['type'] : given
  return typeof type === 'string' ? type : undefined
}

function dependenciesOf(
  content: Readonly<Record<string, unknown>>,
): Pick<InstalledPackage, 'dependencies' | 'optional'> {
  const names = (field: string): readonly string[] => {
    const value = content[field]
    return isObject(value) ? Object.keys(value) : []
  }
  const optional = new Set([...names('optionalDependencies'), ...names('peerDependencies')])
  // npm also copies optional dependencies into `dependencies`.
  return {
    dependencies: names('dependencies')
      .filter((name) => !optional.has(name))
      .toSorted(),
    optional: [...optional].toSorted(),
  }
}

/**
 * Returns whether a package has native code. Native code runs on only one platform, and must stay in a
 * separate file.
 */
export function hasNativeCode({ folder }: InstalledPackage): boolean {
  return existsSync(join(folder, 'binding.gyp')) || filesIn(folder).some((path) => path.endsWith('.node'))
}

/** Lists the files of a package, except for those of packages inside it. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : []
    })
    .toSorted()
}
