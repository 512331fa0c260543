import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

const root = fileURLToPath(new URL('../../', import.meta.url))
const published = fileURLToPath(new URL('../public/source/', import.meta.url))

const FROM = /^<!-- from: ([^\s#]+)(?:#\S+)? -->\s*$/

/**
 * Handles the link to the source file above a code block (see `scripts/snippets.mjs`). On GitHub it leads to the file in
 * the repository. The site has a copy of the file, as plain text, and the link leads to that.
 */
export function linkSources(markdown: MarkdownRenderer): void {
  rmSync(published, { recursive: true, force: true })
  markdown.core.ruler.push('sources', ({ tokens, env }) => {
    for (const [index, { type, content }] of tokens.entries()) {
      const path = type === 'html_block' ? FROM.exec(content)?.[1] : undefined
      const paragraph = tokens[index + 1]
      const caption = tokens[index + 2]
      if (path === undefined || paragraph === undefined || !caption?.content.startsWith('<sub>[')) continue
      const link = caption.children?.find((token) => token.type === 'link_open')
      if (link === undefined) continue
      paragraph.attrJoin('class', 'source')
      const { relativePath } = env as { readonly relativePath: string }
      link.attrSet('href', posix.join(posix.relative(posix.dirname(relativePath), '.'), publish(path)))
      // VitePress checks and rewrites links without a target, as links to pages.
      link.attrSet('target', '_blank')
    }
  })
}

/** Copies a file to the site and returns its path there. Browsers download `.ts` files as videos, but show `.txt`. */
function publish(path: string): string {
  const copy = join(published, `${path}.txt`)
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, readFileSync(join(root, path)))
  return `source/${path}.txt`
}
