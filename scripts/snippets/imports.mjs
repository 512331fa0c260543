/** Finds the import lines that a part of a file needs, so that readers can run the code that they have copied. */
import { basename, posix } from 'node:path'

/** The same width as in `.oxfmtrc.json`. */
const LINE_WIDTH = 110

const IMPORT = /^import\s+(type\s+)?([^'"]+?)\s+from\s+'([^']+)'$/gm
const COMMENTS_AND_STRINGS = /`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'/g

/**
 * @typedef {object} Binding
 * @property {string} local the name in the file
 * @property {string} text the text in the import statement
 * @property {'default' | 'named'} kind a namespace counts as a default, because it is also outside the braces
 */

/** @param {string} source @returns {{ type: string, bindings: Binding[], specifier: string }[]} */
function parseImports(source) {
  return [...source.matchAll(IMPORT)].map(([, type = '', clause = '', specifier = '']) => {
    const braces = /\{([\s\S]*)\}/.exec(clause)
    const outside = clause.replace(/\{[\s\S]*\}/, '')
    const bindings = [
      ...split(outside).map((text) => binding(text, 'default')),
      ...split(braces?.[1] ?? '').map((text) => binding(text, 'named')),
    ]
    return { type: type.trim(), bindings, specifier }
  })
}

/** @param {string} list */
const split = (list) =>
  list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')

/** @param {string} text @param {Binding['kind']} kind @returns {Binding} */
const binding = (text, kind) => ({ local: /[\w$]+$/.exec(text)?.[0] ?? '', text, kind })

/** @param {string} code @param {string} name */
function uses(code, name) {
  const bare = code.replaceAll(COMMENTS_AND_STRINGS, (text) => (text.startsWith('`') ? text : ''))
  // The name must not be a property (`.name`), but it may be the operand of a spread (`...name`).
  return new RegExp(
    String.raw`(?<![\w$])(?<!(?<!\.\.)\.)${name.replaceAll('$', String.raw`\$`)}(?![\w$])`,
  ).test(bare)
}

/** @param {string} type @param {Binding[]} bindings @param {string} specifier */
function format(type, bindings, specifier) {
  const outside = bindings.filter(({ kind }) => kind === 'default').map(({ text }) => text)
  const named = bindings.filter(({ kind }) => kind === 'named').map(({ text }) => text)
  const start = type === '' ? 'import' : `import ${type}`
  const line = (/** @type {string[]} */ braces) =>
    `${start} ${[...outside, ...braces].join(', ')} from '${specifier}'`
  if (named.length === 0) return line([])
  const short = line([`{ ${named.join(', ')} }`])
  return short.length <= LINE_WIDTH ? short : line([`{\n  ${named.join(',\n  ')},\n}`])
}

/** Shows the file to which a relative import leads. Reports a problem if the page does not show that file. */
function showTarget(path, specifier, shown, problems) {
  const target = posix.join(posix.dirname(path), specifier)
  if (!shown.has(target)) problems.push(`${path} imports ${specifier}, which the page does not show`)
  return `./${basename(target)}`
}

/**
 * Returns the import lines that a part of a file needs, without the names that readers have already seen. Adds
 * the returned names to the ones already seen. A file of this repository is imported as `./name.ts`, and only
 * if the page shows it.
 *
 * @param {string} path the file @param {string} source its text @param {string} code the part
 * @param {Map<string, Set<string>>} shown the imported names that the page has shown, by file
 * @param {string[]} problems the list to which new problems are added
 */
export function importsFor(path, source, code, shown, problems) {
  const seen = shown.get(path) ?? new Set()
  shown.set(path, seen)
  for (const { bindings } of parseImports(code)) for (const { local } of bindings) seen.add(local)
  return parseImports(source).flatMap(({ type, bindings, specifier }) => {
    const needed = bindings.filter(({ local }) => !seen.has(local) && uses(code, local))
    if (needed.length === 0) return []
    for (const { local } of needed) seen.add(local)
    const from = specifier.startsWith('.') ? showTarget(path, specifier, shown, problems) : specifier
    return [format(type, needed, from)]
  })
}

/**
 * Returns a whole file as the page shows it, without its region markers. Marks its imports as shown.
 *
 * @param {string} path @param {string} source @param {Map<string, Set<string>>} shown
 * @param {string[]} problems the list to which new problems are added
 */
export function wholeFile(path, source, shown, problems) {
  shown.set(path, new Set(parseImports(source).flatMap(({ bindings }) => bindings.map(({ local }) => local))))
  return source
    .replaceAll(/^[ ]*\/\/ #(?:end)?region.*\n/gm, '')
    .trim()
    .replaceAll(IMPORT, (line, _type, _clause, specifier) =>
      specifier.startsWith('.')
        ? line.replace(`'${specifier}'`, `'${showTarget(path, specifier, shown, problems)}'`)
        : line,
    )
}
