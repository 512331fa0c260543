import type { MarkdownRenderer } from 'vitepress'

const FROM = /^<!-- from: (\S+) -->\s*$/

/** Shows the comment that names a code block's file as a line above the block; in the Markdown itself it stays hidden. */
export function showSources(markdown: MarkdownRenderer): void {
  const { html_block: fallback } = markdown.renderer.rules
  markdown.renderer.rules['html_block'] = (tokens, index, options, env, self) => {
    const path = FROM.exec(tokens[index]?.content ?? '')?.[1]?.split('#')[0]
    if (path !== undefined) return `<p class="source">${markdown.utils.escapeHtml(path)}</p>\n`
    return fallback?.(tokens, index, options, env, self) ?? tokens[index]?.content ?? ''
  }
}
