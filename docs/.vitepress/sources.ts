import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

const root = fileURLToPath(new URL('../../', import.meta.url))
const published = fileURLToPath(new URL('../public/source/', import.meta.url))

/** VitePress serves the files of this folder at its root. */
const PUBLIC = 'docs/public/'

/** The source files that the site has as copies. */
const SOURCE = /\.(?:tsx?|js|json|toml|conf|yaml|dockerignore)$|\/Dockerfile$/

const FROM = /^<!-- from: \S+ -->\s*$/

/**
 * Handles links to source files: those above code blocks (see `scripts/snippets.mjs`) and those in the text. On GitHub
 * they lead to the file in the repository. The site has a copy of the file, as plain text, and the link leads to that.
 */
export function linkSources(markdown: MarkdownRenderer): void {
  rmSync(published, { recursive: true, force: true })
  markdown.core.ruler.push('sources', ({ tokens, env }) => {
    for (const [index, { type, content, children }] of tokens.entries()) {
      const isCaption = tokens[index + 2]?.content.startsWith('<sub>[')
      if (type === 'html_block' && FROM.test(content) && isCaption)
        tokens[index + 1]?.attrJoin('class', 'source')
      for (const link of children ?? []) {
        if (link.type !== 'link_open') continue
        const { relativePath } = env as { readonly relativePath: string }
        const folder = posix.dirname(relativePath)
        const path = posix.join('docs', folder, link.attrGet('href') ?? '')
        if (path.startsWith(PUBLIC)) {
          link.attrSet('href', posix.join(posix.relative(folder, '.'), path.slice(PUBLIC.length)))
          link.attrSet('target', '_blank')
          continue
        }
        if (path.startsWith('docs/') || !SOURCE.test(path)) continue
        link.attrSet('href', posix.join(posix.relative(folder, '.'), publish(path)))
        // VitePress checks and rewrites links without a target, as links to pages.
        link.attrSet('target', '_blank')
      }
    }
  })
}

/** The path of a source file on the site. Undefined if the site has no copies of such files. */
export const publishedPath = (path: string): string | undefined =>
  SOURCE.test(path) ? `source/${path}.txt` : undefined

/** Copies a file to the site and returns its path there. Browsers download `.ts` files as videos, but show `.txt`. */
function publish(path: string): string {
  const copy = join(published, `${path}.txt`)
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, readFileSync(join(root, path)))
  return `source/${path}.txt`
}
