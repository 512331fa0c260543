import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { SiteConfig } from 'vitepress'
import { mapLinks } from './markdown-links.ts'
import { readPage } from './pages.ts'
import { siteAddress } from './repository.ts'
import { publishedPath } from './sources.ts'

const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['guide/', 'Guides'],
  ['reference/', 'Reference'],
  ['design/', 'Design'],
  ['skills/', 'Skill for coding agents'],
  ['', 'Project'],
])

/**
 * Writes the files for language models: each page as Markdown beside its HTML, an index of all pages
 * (`llms.txt`), and the guides and the reference in one file (`llms-full.txt`). See https://llmstxt.org
 */
export function writeForModels({ pages, outDir, site, srcDir, rewrites }: SiteConfig): void {
  const address = siteAddress() ?? ''
  const lines = [`# ${site.title}`, '', `> ${site.description}`, '']
  lines.push(`All guides and the reference in one file: [llms-full.txt](${address}/llms-full.txt)`)
  const full: string[] = [`# ${site.title}`, '', `> ${site.description}`]
  const publicOf = (page: string): string => rewrites.map[page] ?? page
  for (const page of pages) {
    const text = readFileSync(join(srcDir, page), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
    const file = join(outDir, publicOf(page))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, withLinks(text, page, publicOf, address))
  }
  for (const [folder, heading] of SECTIONS) {
    const below = pages.filter((page) => isBelow(page, folder) && !isSymbol(page)).toSorted()
    lines.push('', `## ${heading}`, '', ...below.map((page) => entry(page, address + '/' + publicOf(page))))
    if (folder !== 'guide/' && folder !== 'reference/') continue
    for (const page of below.filter((name) => !name.startsWith('reference/api/')))
      full.push('', `<!-- ${address}/${publicOf(page)} -->`, '', absolute(page))
  }
  writeFileSync(join(outDir, 'llms.txt'), `${lines.join('\n')}\n`)
  writeFileSync(join(outDir, 'llms-full.txt'), `${full.join('\n')}\n`)

  function absolute(page: string): string {
    const text = readFileSync(join(srcDir, page), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
    return withLinks(text, page, publicOf, address || '/').trim()
  }
}

/**
 * Rewrites the relative links of a page so that they point to files on the site: the Markdown of another
 * page, or the copy of a source file. If there is a base, links are absolute.
 */
export function withLinks(
  text: string,
  page: string,
  publicOf: (page: string) => string,
  base: string,
): string {
  const folder = posix.dirname(page)
  return mapLinks(text, (link) => {
    if (/^[a-z]+:/.test(link) || (link.startsWith('#') && base === '')) return link
    const [target = '', ...hash] = link.split(/(?=#)/)
    const path = link.startsWith('#') ? posix.join('docs', page) : posix.join('docs', folder, target)
    const onSite = path.startsWith('docs/')
      ? publicOf(path.replace(/^docs\/(?:public\/)?/, ''))
      : publishedPath(path)
    if (onSite === undefined) return link
    const from = posix.dirname(publicOf(page))
    const address = base === '' ? posix.relative(from, onSite) : `${base.replace(/\/$/, '')}/${onSite}`
    return link.startsWith('#') ? address + link : address + hash.join('')
  })
}

/** Returns whether a page is in a section. The section without a folder contains the pages at the top level. */
const isBelow = (page: string, folder: string): boolean =>
  folder === '' ? !page.includes('/') && page !== 'index.md' : page.startsWith(folder)

/**
 * Returns whether a page describes a single export. These pages are so numerous that all other pages would be
 * hard to find.
 */
const isSymbol = (page: string): boolean => page.startsWith('reference/api/') && !page.endsWith('/index.md')

function entry(page: string, address: string): string {
  const { title, summary } = readPage(page.slice(0, -'.md'.length))
  return `- [${title}](${address})${summary === '' ? '' : `: ${summary}`}`
}
