/**
 * Holds the code blocks of README.md, of those of the packages and of docs/ to the files they are taken from. A block in TypeScript follows a line
 * `<!-- from: path/to/file.ts -->`, or `<!-- from: path/to/file.ts#region -->` for the lines between
 * `// #region name` and `// #endregion`. Without arguments it lists what differs and exits 1; `--write` mends it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const BLOCK = /(?:<!-- from: (\S+) -->\n+)?```(ts|typescript|tsx)\n([\s\S]*?)```/g

/** What people wrote: not what packages brought along, and not what was made of docstrings. @param {string} root */
export function markdownFiles(root) {
  return ['README.md', ...readmesBelow(root, 'packages'), ...markdownBelow(root, 'docs')]
}

/** @param {string} root @param {string} folder */
function readmesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return []
  const paths = readdirSync(join(root, folder)).map((name) => join(folder, name, 'README.md'))
  return paths.filter((path) => existsSync(join(root, path)))
}

const MADE = new Set(['node_modules', '.vitepress', join('docs', 'reference', 'api')])

/** @param {string} root @param {string} folder @returns {string[]} */
function markdownBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (MADE.has(entry.name) || MADE.has(path)) return []
    if (entry.isDirectory()) return markdownBelow(root, path)
    return path.endsWith('.md') ? [path] : []
  })
}

/** @param {string} source @param {string | undefined} region */
export function extract(source, region) {
  if (region === undefined) return source.trim()
  const start = source.indexOf(`// #region ${region}\n`)
  const end = source.indexOf('// #endregion', start)
  if (start === -1 || end === -1) return undefined
  const lines = source
    .slice(source.indexOf('\n', start) + 1, end)
    .replace(/\n[ ]*$/, '')
    .split('\n')
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return lines
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
}

/**
 * The text with every block as its source has it, and what was wrong.
 *
 * @param {string} text @param {(path: string) => string | undefined} read
 */
export function mend(text, read) {
  /** @type {string[]} */
  const faults = []
  const mended = text.replace(BLOCK, (block, from, language, code) => {
    if (from === undefined) {
      faults.push(`a block names no file: ${code.split('\n')[0]}`)
      return block
    }
    const [path, region] = from.split('#')
    const source = read(path)
    const expected = source === undefined ? undefined : extract(source, region)
    if (expected === undefined) faults.push(`${from} does not exist`)
    else if (expected !== code.trim()) faults.push(`${from} differs`)
    return expected === undefined ? block : `<!-- from: ${from} -->\n\n\`\`\`${language}\n${expected}\n\`\`\``
  })
  return { mended, faults }
}

function main() {
  const root = resolve(fileURLToPath(new URL('..', import.meta.url)))
  const read = (path) => {
    try {
      return readFileSync(join(root, path), 'utf8')
    } catch {
      return undefined
    }
  }
  let failed = false
  for (const file of markdownFiles(root)) {
    const text = readFileSync(join(root, file), 'utf8')
    const { mended, faults } = mend(text, read)
    if (argv.includes('--write') && mended !== text) writeFileSync(join(root, file), mended)
    const left = argv.includes('--write') ? faults.filter((fault) => !fault.endsWith('differs')) : faults
    for (const fault of left) console.error(`${file}: ${fault}`)
    failed ||= left.length > 0
  }
  if (failed) exit(1)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
