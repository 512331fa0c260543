import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'

const root = fileURLToPath(new URL('../../', import.meta.url))
const published = fileURLToPath(new URL('../public/source/', import.meta.url))

/** VitePress serves the files of this folder at its root. */
const PUBLIC = 'docs/public/'

/** The source files of which the site has a copy. */
const SOURCE = /\.(?:tsx?|js|json|toml|conf|yaml|dockerignore)$|\/Dockerfile$/

const FROM = /^<!-- from: \S+ -->\s*$/

/**
 * Handles links to source files, both above code blocks (see `scripts/snippets.mjs`) and in the text. On
 * GitHub, they point to the file in the repository. On the site, they point to a copy of the file as plain
 * text.
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
        // VitePress checks and rewrites only links without a `target`, which it treats as links to pages.
        link.attrSet('target', '_blank')
      }
    }
  })
}

/** Returns the path of a source file on the site, or undefined if the site has no copies of such files. */
export const publishedPath = (path: string): string | undefined =>
  SOURCE.test(path) ? `source/${path}.txt` : undefined

/**
 * Copies a file to the site, and returns its path there. The copy is a `.txt` file, because browsers download
 * `.ts` files as videos.
 */
function publish(path: string): string {
  const copy = join(published, `${path}.txt`)
  mkdirSync(dirname(copy), { recursive: true })
  writeFileSync(copy, readFileSync(join(root, path)))
  return `source/${path}.txt`
}
