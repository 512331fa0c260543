/**
 * Compares the code blocks in all READMEs and in `docs/` with the files from which they are taken. Each
 * TypeScript block needs a comment above it: `<!-- from: path/to/file.ts -->` for a whole file, or `<!--
 * from: path/to/file.ts#region -->` for the lines between `// #region name` and `// #endregion`, and the
 * imports that these lines use. Blocks in other languages may have such a comment. Without arguments, it
 * prints the differences and exits with code 1. `--write` updates the blocks and the links to their files,
 * and adds missing blocks.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { argv, exit } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { importsFor, wholeFile } from './snippets/imports.mjs'

/**
 * Matches a comment with the block that belongs to it, or a block without a comment. A comment may still lack
 * its block.
 */
const BLOCK =
  /^<!-- from: (\S+) -->(?:\n+<sub>\[.*)?(?:\n+```(ts|typescript|tsx|js|nginx|yaml|toml|json|text|dockerfile)\n[\s\S]*?```)?|```(?:ts|typescript|tsx)\n([\s\S]*?)```/gm

/** The folder of skills for coding agents. */
const SKILLS = 'docs/skills/'

/** The maximum length of a line of code that fits on the site at a width of 1440 px. */
const MAX_COLUMNS = 110

/**
 * Returns the Markdown files that people have written, without dependencies and the generated API reference.
 *
 * @param {string} root
 */
export function markdownFiles(root) {
  return ['README.md', ...readmesBelow(root, 'packages'), ...markdownBelow(root, 'docs')]
}

/** @param {string} root @param {string} folder */
function readmesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return []
  const paths = readdirSync(join(root, folder)).map((name) => join(folder, name, 'README.md'))
  return paths.filter((path) => existsSync(join(root, path)))
}

const SKIPPED = new Set(['node_modules', '.vitepress', join('docs', 'reference', 'api')])

/** @param {string} root @param {string} folder @returns {string[]} */
function markdownBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (SKIPPED.has(entry.name) || SKIPPED.has(path)) return []
    if (entry.isDirectory()) return markdownBelow(root, path)
    return path.endsWith('.md') ? [path] : []
  })
}

/**
 * @param {string} source
 *
 * @param {string | undefined} region
 * @returns the code; undefined if the region does not exist
 */
export function extract(source, region) {
  if (region === undefined) return source.trim()
  const start = source.indexOf(` #region ${region}\n`)
  const end = source.indexOf(' #endregion', start)
  if (start === -1 || end === -1) return undefined
  const lines = source
    .slice(source.indexOf('\n', start) + 1, end)
    .replace(/\n[ ]*(?:\/\/|#)$/, '')
    .split('\n')
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return lines
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
}

/**
 * Replaces each code block on a page with the code from its file. Returns the new text and a list of
 * problems.
 *
 * @param {string} page the path of the page @param {string} text
 * @param {(path: string) => string | undefined} read
 */
export function updateBlocks(page, text, read) {
  /** @type {string[]} */
  const problems = []
  const shown = new Map()
  const updated = text.replace(BLOCK, (block, from, language, code) => {
    if (from === undefined) {
      problems.push(`a code block needs a comment <!-- from: file --> above it: ${code.split('\n')[0]}`)
      return block
    }
    const expected = codeOf(from, read, shown, problems)
    if (expected === undefined) {
      problems.push(`${from} does not exist`)
      return block
    }
    const wide = expected.split('\n').find((line) => line.length > MAX_COLUMNS)
    if (wide !== undefined) problems.push(`${from} is wider than the site's code blocks: ${wide}`)
    const [path = ''] = from.split('#')
    const link = `<sub>[${path}](${posix.relative(posix.dirname(page), path)})</sub>\n\n`
    // Skills are copied into other projects, where the link would not work.
    const caption = page.startsWith(SKILLS) ? '\n' : link
    const current = `<!-- from: ${from} -->\n${caption}\`\`\`${language ?? languageOf(path)}\n${expected}\n\`\`\``
    if (current !== block) problems.push(`${from} differs`)
    return current
  })
  return { updated, problems }
}

const LANGUAGES = new Map([
  ['.tsx', 'tsx'],
  ['.js', 'js'],
  ['.conf', 'nginx'],
  ['.yaml', 'yaml'],
  ['.toml', 'toml'],
  ['.json', 'json'],
  ['Dockerfile', 'dockerfile'],
  ['.dockerignore', 'text'],
])

/** @param {string} path */
const languageOf = (path) => {
  for (const [end, language] of LANGUAGES) if (path.endsWith(end)) return language
  return 'ts'
}

/** Returns a file, or a region of it below the imports that the page has not shown yet. */
function codeOf(from, read, shown, problems) {
  const [path, region] = from.split('#')
  const source = read(path)
  const code = source === undefined ? undefined : extract(source, region)
  if (code === undefined) return undefined
  if (region === undefined) return wholeFile(path, source, shown, problems)
  const lines = importsFor(path, source, code, shown, problems)
  return lines.length === 0 ? code : `${lines.join('\n')}\n\n${code}`
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
    const { updated, problems } = updateBlocks(file.replaceAll('\\', '/'), text, read)
    if (argv.includes('--write') && updated !== text) writeFileSync(join(root, file), updated)
    const left = argv.includes('--write')
      ? problems.filter((problem) => !problem.endsWith('differs'))
      : problems
    for (const problem of left) console.error(`${file}: ${problem}`)
    failed ||= left.length > 0
  }
  if (failed) exit(1)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
