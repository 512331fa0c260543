/** Builds the sidebar from the Markdown files, so that a new page appears without a change here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DefaultTheme } from 'vitepress'

const docs = fileURLToPath(new URL('..', import.meta.url))

interface Group {
  readonly text: string
  readonly pages: readonly string[]
}

/** The guides in reading order. A guide that is not listed here appears under "More". */
export const GUIDES: readonly Group[] = [
  {
    text: 'Start',
    pages: ['install', 'quickstart', 'create', 'cli', 'project-layout', 'troubleshooting', 'faq'],
  },
  {
    text: 'Write a server',
    pages: [
      'server',
      'tools',
      'resources',
      'prompts',
      'completion',
      'results-and-errors',
      'app-data',
      'asking',
      'notifications',
      'tasks',
      'skills',
      'openapi',
      'apps',
      'compose',
      'middleware',
      'caching',
      'extensions',
      'testing',
    ],
  },
  {
    text: 'Serve it',
    pages: [
      'transports',
      'stdio',
      'fastify',
      'hono',
      'node',
      'recipes',
      'runtimes',
      'without-a-mount',
      'starting-fast',
      'curl',
      'eras',
    ],
  },
  { text: 'Who may call', pages: ['api-keys', 'jwt', 'authorization'] },
  {
    text: 'Run it',
    pages: [
      'deployment',
      'proxy',
      'scale-out',
      'sessions',
      'session-lifetime',
      'resuming',
      'operations',
      'observability',
      'versions',
      'publishing',
    ],
  },
  {
    text: 'Write a client',
    pages: ['client', 'client-auth', 'client-manager', 'resource-cache', 'tool-bridge', 'chat'],
  },
  { text: 'Extend', pages: ['write-an-adapter'] },
  {
    text: 'Migrate',
    pages: [
      'coming-from-the-official-sdk',
      'coming-from-fastmcp',
      'coming-from-mcp-go',
      'coming-from-the-kotlin-sdk',
      'coming-from-fit',
    ],
  },
]

const REFERENCE: readonly string[] = [
  'server-options',
  'mount-options',
  'context',
  'errors',
  'http',
  'reliability',
  'benchmarks',
]

/** The pages about the project itself. GitHub and tools for MCP projects look for them at these paths. */
export const PROJECT: readonly string[] = ['versioning', 'roadmap', 'dependency-policy', 'releasing']

export interface Page {
  readonly link: string
  readonly title: string
  /** The first sentence on the page, without markup. */
  readonly summary: string
}

/** Reads a page's title and summary from its Markdown. */
export function readPage(path: string): Page {
  const api = /^reference\/api\/(@.+)\/index$/.exec(path)?.[1]
  if (api !== undefined)
    return { link: `/reference/api/${api}/`, title: api, summary: `All exports of ${api}.` }
  const text = readFileSync(join(docs, `${path}.md`), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, '')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path
  const paragraph = text
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .find((block) => /^[A-Z`[*]/.test(block))
  const plain = (paragraph ?? '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[*\n]/g, ' ')
  // Decisions begin with the label `Question.`
  const [sentence = ''] = plain.replace(/^ *Question\. */, '').split(/(?<=[.:])\s/)
  return { link: `/${path}`, title, summary: sentence.replace(/:$/, '.') }
}

/** Returns the names of a folder's Markdown files, without `.md`. The list is empty if the folder does not exist. */
function namesIn(folder: string): readonly string[] {
  const path = join(docs, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replaceAll('\\', '/').slice(0, -'.md'.length))
    .toSorted()
}

const item = (path: string, title?: string): DefaultTheme.SidebarItem => {
  const page = readPage(path)
  return { text: title ?? shortTitle(page.title), link: page.link }
}

/** Returns the words before a colon. The words after the colon are for the search. */
const shortTitle = (title: string): string => title.split(': ')[0] ?? title

function guideGroups(): DefaultTheme.SidebarItem[] {
  const names = namesIn('guide')
  const named = new Set(GUIDES.flatMap(({ pages }) => pages))
  const groups = [...GUIDES, { text: 'More', pages: names.filter((name) => !named.has(name)) }]
  return groups
    .map(({ text, pages }) => ({
      text,
      items: pages.filter((name) => names.includes(name)).map((name) => item(`guide/${name}`)),
    }))
    .filter(({ items }) => items.length > 0)
}

function referenceGroups(): DefaultTheme.SidebarItem[] {
  const pages = namesIn('reference').filter((name) => !name.startsWith('api/'))
  const ordered = [
    ...REFERENCE.filter((name) => pages.includes(name)),
    ...pages.filter((name) => !REFERENCE.includes(name)),
  ]
  return [
    { text: 'Reference', items: ordered.map((name) => item(`reference/${name}`)) },
    { text: 'API', link: '/reference/api/', items: apiItems() },
  ]
}

/**
 * Lists the entry points in the same order as the API's index page. Their classes and functions are listed on
 * their own pages.
 */
function apiItems(): DefaultTheme.SidebarItem[] {
  const index = join(docs, 'reference/api/index.md')
  if (!existsSync(index)) return []
  const modules = readFileSync(index, 'utf8').matchAll(/\((@.+?)\/index\.md\)/g)
  return Array.from(modules, ([, name]) => ({ text: `${name}`, link: `/reference/api/${name}/` }))
}

function designGroups(): DefaultTheme.SidebarItem[] {
  const decisions = namesIn('design/decisions').filter((name) => name !== 'README')
  return [
    { text: 'Design', items: [{ text: 'The map', link: '/design/' }, item('design/rough-edges')] },
    {
      text: 'Decisions',
      items: [
        { text: 'Overview', link: '/design/decisions/' },
        ...decisions.map((name) => item(`design/decisions/${name}`)),
      ],
    },
  ]
}

const projectGroups = (): DefaultTheme.SidebarItem[] => [
  { text: 'Project', items: PROJECT.map((name) => item(name)) },
  { text: 'For coding agents', items: namesIn('skills').map((name) => item(`skills/${name}`)) },
]

export const sidebar = (): DefaultTheme.SidebarMulti => ({
  '/': projectGroups(),
  '/guide/': guideGroups(),
  '/reference/': referenceGroups(),
  '/design/': designGroups(),
})
