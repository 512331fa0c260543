/**
 * Follows every link of the built site within itself, down to the heading that it names, and holds `llms.txt` to the
 * pages. VitePress looks at the links of Markdown only, and not at headings; those of the front page, of the menus and of
 * docstrings are seen here.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../.vitepress/dist/', import.meta.url))

/** The pages by their address, each with its links and the ids that a link may name. */
function readPages() {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.html'),
  )
  return new Map(files.map((file) => [addressOf(file), readPage(join(dist, file))]))
}

/** @param {string} file */
const addressOf = (file) =>
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
let followed = 0
for (const [address, { links }] of pages) {
  for (const link of links) {
    // A page whose own address ends in a slash is the index of its folder.
    const isFolder = address === '/' || files.has(`${address}/index.html`)
    const url = new URL(link.replaceAll('&amp;', '&'), `http://site${address}${isFolder ? '/' : ''}`)
    if (url.host !== 'site') continue
    followed += 1
    const path = decodeURIComponent(url.pathname)
    const page = pages.get(path.replace(/\/$/, '') || '/')
    const heading = decodeURIComponent(url.hash.slice(1))
    if (page === undefined && !files.has(path)) dead.add(`${address}: ${link} leads nowhere`)
    if (page !== undefined && heading !== '' && !page.ids.has(heading))
      dead.add(`${address}: ${link} names no heading`)
  }
}
const index = readFileSync(join(dist, 'llms.txt'), 'utf8')
const listed = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) =>
  link.replace(/\/$/, ''),
)
const unlisted = [...pages.keys()].filter((page) => !['/', '/404', ...listed].includes(page))
for (const page of unlisted) dead.add(`llms.txt does not list ${page}`)
for (const link of listed) if (!pages.has(link)) dead.add(`llms.txt: ${link} leads nowhere`)

for (const complaint of dead) console.error(complaint)
console.log(`${followed} links followed on ${pages.size} pages, ${dead.size} dead`)
if (dead.size > 0 || followed === 0) process.exitCode = 1
