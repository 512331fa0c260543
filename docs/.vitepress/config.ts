import { defineConfig } from 'vitepress'
import { writeForModels } from './llms.ts'
import { sidebar } from './pages.ts'
import { repositoryUrl } from './repository.ts'
import { search } from './search.ts'
import { linkSources } from './sources.ts'
import { stackTables } from './tables.ts'

const repository = repositoryUrl()

export default defineConfig({
  title: 'Jetway',
  description: 'A TypeScript framework for MCP servers: define a server once, serve every client.',
  lang: 'en',
  cleanUrls: true,
  // On GitHub, a folder's page is README.md, but the site needs index.md.
  rewrites: {
    'design/README.md': 'design/index.md',
    'design/decisions/README.md': 'design/decisions/index.md',
  },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['meta', { name: 'theme-color', content: '#14213d' }],
  ],
  markdown: {
    config: (markdown) => {
      linkSources(markdown)
      stackTables(markdown)
    },
  },
  buildEnd: writeForModels,
  transformHead: ({ pageData: { relativePath }, page }) =>
    page === '404.md'
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${relativePath}` }]],
  // The last button on the home page links to the repository, if its address is known.
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath !== 'index.md' || repository === undefined) return
    const { actions } = frontmatter['hero'] as { actions: object[] }
    actions.push({ theme: 'alt', text: 'Repository', link: repository })
  },
  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    nav: [
      { text: 'Guide', link: '/guide/quickstart', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/server-options', activeMatch: '^/reference/(?!api/)' },
      { text: 'API', link: '/reference/api/', activeMatch: '^/reference/api/' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search,
    ...(repository !== undefined && {
      socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Repository' }],
      editLink: { pattern: `${repository}/edit/main/docs/:path`, text: 'Edit this page' },
    }),
    docFooter: { prev: 'Previous page', next: 'Next page' },
    footer: { message: 'Released under the MIT License. <a href="/design/">How Jetway is designed</a>' },
  },
})
