import type { DefaultTheme, MarkdownEnv } from 'vitepress'

/** The part of VitePress's renderer that the search index needs. */
interface Renderer {
  readonly render: (source: string, env: MarkdownEnv) => string
}

/**
 * The options of the search. Guides come first, then the reference, the design pages and the API. Only the
 * titles and summaries of design and API pages are indexed, because their 650 pages would otherwise be most
 * of the download for the first search.
 */
export const search: NonNullable<DefaultTheme.Config['search']> = {
  provider: 'local',
  options: {
    detailedView: false,
    miniSearch: {
      searchOptions: {
        fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
        prefix: true,
        boost: { title: 4, text: 2, titles: 1 },
        // VitePress sends this function's source to the browser, so the function must not use anything outside
        // itself.
        boostDocument: (id: string, _term: string, stored?: Record<string, unknown>): number => {
          const isPage = !id.includes('#')
          const titles = stored?.['titles']
          const depth = isPage || (Array.isArray(titles) && titles.length === 0) ? 2 : 1
          if (id.startsWith('/guide/')) return 4 * depth
          if (id.startsWith('/reference/api/')) return 0.5
          if (id.startsWith('/reference/')) return 2 * depth
          return id.startsWith('/design/') ? 0.4 : 1
        },
      },
    },
    _render: (source: string, env: MarkdownEnv, markdown: Renderer): string => {
      const html = markdown.render(source, env)
      if (/^(?:reference\/api|design)\//.test(env.relativePath)) return summaryOf(html)
      // Tables of measurements are not indexed, because nobody searches for their figures.
      return /^reference\/(?:benchmarks|reliability)\./.test(env.relativePath) ? withoutTables(html) : html
    },
  },
}

const withoutTables = (html: string): string => html.replaceAll(/<table[\s\S]*?<\/table>/g, '')

/** Returns the heading of a page and its first paragraph. */
function summaryOf(html: string): string {
  const [heading = ''] = /<h1[\s\S]*?<\/h1>/.exec(html) ?? []
  const [paragraph = ''] = /<p>[\s\S]*?<\/p>/.exec(html) ?? []
  return heading + paragraph
}
