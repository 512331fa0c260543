import { defineConfig } from 'vitepress'
import { writeIndex } from './llms.ts'
import { sidebar } from './pages.ts'
import { repositoryUrl } from './repository.ts'
import { linkSources } from './sources.ts'

const repository = repositoryUrl()

export default defineConfig({
  title: 'Jetway',
  description: 'A TypeScript framework for MCP servers: define a server once, serve every client.',
  lang: 'en',
  cleanUrls: true,
  // GitHub shows README.md as the page of a folder. The site needs index.md.
  rewrites: {
    'design/README.md': 'design/index.md',
    'design/decisions/README.md': 'design/decisions/index.md',
  },
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['meta', { name: 'theme-color', content: '#14213d' }],
  ],
  markdown: { config: linkSources },
  buildEnd: writeIndex,
  // The last button of the home page leads to the repository. Without its address, it leads to how to get the code.
  transformPageData({ relativePath, frontmatter }) {
    if (relativePath !== 'index.md' || repository === undefined) return
    const { actions } = frontmatter['hero'] as { actions: { link: string }[] }
    actions.splice(-1, 1, { ...actions.at(-1), link: repository })
  },
  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    nav: [
      { text: 'Guide', link: '/guide/install', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/server-options', activeMatch: '^/reference/(?!api/)' },
      { text: 'API', link: '/reference/api/', activeMatch: '^/reference/api/' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    ...(repository !== undefined && {
      socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Repository' }],
    }),
    docFooter: { prev: 'Previous page', next: 'Next page' },
    footer: { message: 'Released under the MIT License. <a href="/design/">How Jetway is designed</a>' },
  },
})
