import type { MarkdownRenderer } from 'vitepress'

const FROM = /^<!-- from: (\S+) -->\s*$/

/** Shows the file name of a code block, which the Markdown has in a comment (see `scripts/snippets.mjs`), above the block. */
export function showSources(markdown: MarkdownRenderer): void {
  const { html_block: fallback } = markdown.renderer.rules
  markdown.renderer.rules['html_block'] = (tokens, index, options, env, self) => {
    const path = FROM.exec(tokens[index]?.content ?? '')?.[1]?.split('#')[0]
    if (path !== undefined) return `<p class="source">${markdown.utils.escapeHtml(path)}</p>\n`
    return fallback?.(tokens, index, options, env, self) ?? tokens[index]?.content ?? ''
  }
}
