import { defineConfig } from 'vitepress'
import { writeIndex } from './llms.ts'
import { sidebar } from './pages.ts'
import { linkSources } from './sources.ts'

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
  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    nav: [
      { text: 'Guide', link: '/guide/quickstart', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/errors', activeMatch: '^/reference/' },
      { text: 'Design', link: '/design/', activeMatch: '^/design/' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Previous page', next: 'Next page' },
    footer: { message: 'Released under the MIT License.' },
  },
})
