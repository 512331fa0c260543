/**
 * Checks every internal link of the built site, including the heading in its hash, and the links in the files
 * for models. Also checks that `llms.txt` lists every page, except those for single exports. VitePress itself
 * checks only links in Markdown, and ignores their hashes, so it misses the home page, the menus and the
 * headings.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../.vitepress/dist/', import.meta.url))

/** Returns the links and the element ids of each page, keyed by URL path. */
function readPages() {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  )
  return new Map(files.map((file) => [pathOf(file), readPage(join(dist, file))]))
}

/** @param {string} file */
const pathOf = (file) =>
  `/${relative(dist, join(dist, file)).replaceAll('\\', '/')}`.replace(/(?:\/index)?\.html$/, '') || '/'

/** @param {string} path */
function readPage(path) {
  const html = readFileSync(path, 'utf8')
  const all = (/** @type {RegExp} */ pattern) => [...html.matchAll(pattern)].map(([, value = '']) => value)
  return { links: all(/<a [^>]*?href="([^"]+)"/g), ids: new Set(all(/ id="([^"]+)"/g)) }
}

const pages = readPages()
const files = new Set(readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((file) => `/${file}`))
const dead = new Set()
let checked = 0
for (const [from, { links }] of pages) {
  for (const link of links) {
    // Relative links of a folder's index page resolve within that folder.
    const isFolder = from === '/' || files.has(`${from}/index.html`)
    const url = new URL(
      link.replaceAll('&amp;', '&'),
      `http://site${from === '/' ? '' : from}${isFolder ? '/' : ''}`,
    )
    if (url.host !== 'site') continue
    checked += 1
    const path = decodeURIComponent(url.pathname)
    const page = pages.get(path.replace(/\/$/, '') || '/')
    const heading = decodeURIComponent(url.hash.slice(1))
    if (page === undefined && !files.has(path)) dead.add(`${from}: ${link} does not exist`)
    if (page !== undefined && heading !== '' && !page.ids.has(heading))
      dead.add(`${from}: ${link} has no such heading`)
  }
}
const markdown = [...files].filter((file) => file.endsWith('.md'))
const index = readFileSync(join(dist, 'llms.txt'), 'utf8')
const listed = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) =>
  link.replace(/^https?:\/\/[^/]+/, ''),
)
const isSymbol = (page) => /^\/reference\/api\/.+\/(?:classes|functions|interfaces)\//.test(page)
const unlisted = markdown.filter((page) => !['/index.md', ...listed].includes(page) && !isSymbol(page))
for (const page of unlisted) dead.add(`llms.txt does not list ${page}`)
for (const link of listed) if (!files.has(link)) dead.add(`llms.txt: ${link} does not exist`)
if (markdown.length < pages.size - 1) dead.add(`${pages.size} pages have ${markdown.length} files for models`)

/** Checks the links in the files for models. They are relative to the file's folder, or start at the root. */
for (const file of [...markdown.filter((page) => !isSymbol(page)), '/llms-full.txt']) {
  const text = readFileSync(join(dist, file), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '')
  for (const [, link = ''] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)) {
    const { host, pathname } = new URL(link, `http://site${file}`)
    checked += 1
    if (host === 'site' && !files.has(decodeURIComponent(pathname)))
      dead.add(`${file}: ${link} does not exist`)
  }
}

for (const problem of dead) console.error(`✗ ${problem}`)
console.log(`${checked} links checked on ${pages.size} pages, ${dead.size} dead`)
if (dead.size > 0 || checked === 0) process.exitCode = 1
