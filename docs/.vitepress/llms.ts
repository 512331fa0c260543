import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteConfig } from 'vitepress'
import { readPage } from './pages.ts'

const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['guide/', 'Guides'],
  ['reference/', 'Reference'],
  ['design/', 'Design'],
])

/** Writes `llms.txt`, an index of all pages for language models: https://llmstxt.org */
export function writeIndex({ pages, outDir, site }: SiteConfig): void {
  const lines = [`# ${site.title}`, '', `> ${site.description}`]
  for (const [folder, heading] of SECTIONS) {
    const below = pages.filter((page) => page.startsWith(folder) && !isSymbol(page)).toSorted()
    lines.push('', `## ${heading}`, '', ...below.map((page) => entry(page)))
  }
  writeFileSync(join(outDir, 'llms.txt'), `${lines.join('\n')}\n`)
}

/** The pages of single exports would drown the others. */
const isSymbol = (page: string): boolean => page.startsWith('reference/api/') && !page.endsWith('/index.md')

function entry(page: string): string {
  const { link, title, summary } = readPage(page.slice(0, -'.md'.length))
  const address = link.replace(/\/(?:README|index)$/, '/')
  return `- [${title}](${address})${summary === '' ? '' : `: ${summary}`}`
}
