/**
 * Compares the public names of every package with its `exports.txt`, so that a reviewer sees each change to the
 * public API. Without arguments, it prints the differences and exits with code 1. `--write` updates the lists.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const LIST = 'exports.txt'

// Entry files use only named exports, so regular expressions can read them.
const BARREL = /^export (type )?\{([^}]*)\}/gm
const DECLARED = /^export (?:declare )?(?:async )?(const|function|class|interface|type) (\w+)/gm
const UNNAMED = /^export (?:\*|default)/m

/** @param {string} source @returns {string[]} the values, then the types, each in alphabetical order */
function namesIn(source) {
  if (UNNAMED.test(source))
    throw new Error('An entry file must not use `export *` or `export default`: export each name')
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '')
  const listed = [...code.matchAll(BARREL)].flatMap(([, type, names]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => named(name, type !== undefined)),
  )
  const declared = [...code.matchAll(DECLARED)].map(([, kind, name]) =>
    named(name, kind === 'type' || kind === 'interface'),
  )
  return [...listed, ...declared].toSorted(
    (a, b) => Number(a.startsWith('type ')) - Number(b.startsWith('type ')) || (a < b ? -1 : 1),
  )
}

/** @param {string} item @param {boolean} allTypes */
function named(item, allTypes) {
  const type = allTypes || item.startsWith('type ')
  const name = item
    .replace(/^type /, '')
    .split(' as ')
    .at(-1)
  return type ? `type ${name}` : name
}

/** Returns the names that a package exports, by subpath. Types begin with `type `. @param {string} folder */
export function exportsOf(folder) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  /** @type {Map<string, string[]>} */
  const exported = new Map()
  for (const [subpath, target] of Object.entries(exports ?? {})) {
    if (typeof target === 'string') continue
    const source = readFileSync(join(folder, target['jetway:source']), 'utf8')
    exported.set(name + subpath.slice(1), namesIn(source))
  }
  return exported
}

/** @param {Map<string, string[]>} exported */
function toText(exported) {
  return (
    [...exported]
      .map(([subpath, names]) => [subpath, ...names.map((name) => `  ${name}`)].join('\n'))
      .join('\n\n') + '\n'
  )
}

/** @param {string} text */
function fromText(text) {
  /** @type {string[]} */
  const lines = []
  let subpath = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('  ')) lines.push(`${subpath}: ${line.trim()}`)
    else if (line !== '') lines.push((subpath = line))
  }
  return lines
}

function main() {
  const root = resolve(fileURLToPath(new URL('..', import.meta.url)))
  for (const name of readdirSync(join(root, 'packages'))) {
    const folder = join(root, 'packages', name)
    // If a package exists only on another branch, an empty folder may be left in its place.
    if (!existsSync(join(folder, 'package.json'))) continue
    const path = join(folder, LIST)
    const actual = toText(exportsOf(folder))
    const listed = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (actual === listed) continue
    if (argv.includes('--write')) writeFileSync(path, actual)
    else reportDifferences(`packages/${name}/${LIST}`, fromText(actual), fromText(listed))
  }
}

/** @param {string} file @param {string[]} actual @param {string[]} listed */
function reportDifferences(file, actual, listed) {
  process.exitCode = 1
  console.error(`${file} differs from the package's exports. To update it: npm run exports`)
  for (const line of actual.filter((name) => !listed.includes(name))) console.error(`  + ${line}`)
  for (const line of listed.filter((name) => !actual.includes(name))) console.error(`  - ${line}`)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
