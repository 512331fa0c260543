/**
 * Rewrites the installation commands in documents to install this repository's packages either from tarballs
 * or from npm.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SCOPE = '@jetway/'
const TARBALLS = /^\S*tarballs\/jetway-(?:\{(.+?)\}|([\w-]+))-\d\S*\.tgz$/
const COMMAND = /npm install [^`\n]*tarballs\/[^`\n]*/g

/** For each package, the other packages that its users also import. The default is core. */
const IMPORTED_WITH = { bridge: ['client'], cli: [], client: [], 'json-schema': [] }

/**
 * @param {string} root
 * @returns {Map<string, string[]>} for each package, the packages of this repository that it depends on,
 * keyed by folder
 */
export function readDependencies(root) {
  const names = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  )
  return new Map(
    names.map((name) => {
      const { dependencies = {} } = JSON.parse(
        readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
      )
      const own = Object.keys(dependencies).filter((other) => other.startsWith(SCOPE))
      return [name, own.map((other) => other.slice(SCOPE.length))]
    }),
  )
}

/** Returns all packages that the given packages depend on, without the given ones. */
function needed(names, dependencies, found = new Set()) {
  for (const name of names.flatMap((each) => dependencies.get(each) ?? []))
    if (!found.has(name)) needed([name], dependencies, found.add(name))
  return found
}

/**
 * @param {string} command `npm install …`
 * @returns {{ flags: string[], packages: string[], others: string[] }} the folders of this repository's
 * packages, and the names of all other packages
 */
export function parseInstall(command) {
  const words = command.trim().split(/\s+/).slice(2)
  return {
    flags: words.filter((word) => word.startsWith('--')),
    packages: words.flatMap(packagesIn),
    others: words.filter((word) => !word.startsWith('--') && packagesIn(word).length === 0),
  }
}

/** Returns the packages of this repository that a word in a command refers to, either as tarballs or by npm name. */
function packagesIn(word) {
  const [, list, single] = TARBALLS.exec(word) ?? []
  if (list !== undefined || single !== undefined) return list?.split(',') ?? [single]
  return word.startsWith(SCOPE) ? [word.slice(SCOPE.length).replace(/@.*$/, '')] : []
}

/**
 * Returns the command that installs packages from npm, without packages that are only dependencies.
 *
 * @param {readonly string[]} packages folders, such as `core`
 * @param {readonly string[]} others other packages, with their versions
 * @param {Map<string, string[]>} dependencies see {@link readDependencies}
 * @param {readonly string[]} [flags] such as `--save-dev`
 * @param {readonly string[]} [along] packages that another command on the same line installs
 */
export function installLine(packages, others, dependencies, flags = [], along = []) {
  const all = [...packages, ...along]
  const indirect = needed(all, dependencies)
  const roots = all.filter((name) => !indirect.has(name))
  const imported = new Set([...roots, ...roots.flatMap((name) => IMPORTED_WITH[name] ?? ['core'])])
  const kept = packages.filter((name) => imported.has(name))
  const names = kept.toSorted().map((name) => SCOPE + name)
  return ['npm install', ...flags, ...names, ...others].join(' ')
}

/**
 * Replaces commands that install tarballs with commands that install from npm.
 *
 * @param {string} text a page @param {Map<string, string[]>} dependencies see {@link readDependencies}
 */
export function installFromNpm(text, dependencies) {
  return text.replaceAll(COMMAND, (line) => {
    const parsed = line.split(' && ').map(parseInstall)
    return parsed
      .map(({ packages, others, flags }, at) => {
        const along = parsed.flatMap((other, index) => (index === at ? [] : other.packages))
        return installLine(packages, others, dependencies, flags, along)
      })
      .join(' && ')
  })
}
