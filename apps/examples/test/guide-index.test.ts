import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The site is not a package, so its modules are imported by their paths. */
const site = async <T>(name: string): Promise<T> => (await import(`${root}docs/.vitepress/${name}`)) as T
type Links = (text: string, page: string, publicOf: unknown, base: string) => string
const { withLinks } = await site<{ withLinks: Links }>('llms.ts')
const { GUIDES } = await site<{
  GUIDES: readonly { readonly text: string; readonly pages: readonly string[] }[]
}>('pages.ts')
const read = (path: string): string => readFileSync(root + path, 'utf8')
const guides = readdirSync(`${root}docs/guide`).map((name) => name.replace('.md', ''))

describe('the list of guides', () => {
  it('contains every guide on the site exactly once', () => {
    expect(GUIDES.flatMap(({ pages }) => pages).toSorted()).toEqual(guides.toSorted())
  })

  it('matches the list in the README', () => {
    const [, list = ''] = /## Guides\n([\s\S]*?)\n## /.exec(read('README.md')) ?? []
    const groups = [...list.matchAll(/^- (.+?): (.+)$/gm)].map(([, text, links = '']) => ({
      text,
      pages: [...links.matchAll(/docs\/guide\/([\w-]+)\.md/g)].map(([, name]) => name),
    }))
    expect(groups).toEqual(GUIDES)
  })

  it('begins with a short section', () => {
    expect(GUIDES[0]?.pages.length).toBeLessThan(8)
  })
})

/** These are words that people search for. */
it.each(['CLI', 'Elicitation', 'Scaling', 'Troubleshooting', 'Deployment', 'API keys', 'JWT', 'Completion'])(
  '%s appears in the title of a guide',
  (word) => {
    const titles = guides.map((name) => /^# (.+)$/m.exec(read(`docs/guide/${name}.md`))?.[1] ?? '')
    expect(titles.filter((title) => title.includes(word))).not.toEqual([])
  },
)

describe('the troubleshooting page', () => {
  it('quotes replies exactly as the server sends them', () => {
    const quoted = [...read('docs/guide/troubleshooting.md').matchAll(/^\| [45]\d\d `([^`]+)`/gm)]
    const refusals = read('packages/core/src/http/refusals.ts')
    expect(quoted.length).toBeGreaterThan(10)
    expect(
      quoted.map(([, message = '']) => message).filter((message) => !refusals.includes(message)),
    ).toEqual([])
  })
})

describe('withLinks', () => {
  const publicOf = (page: string): string => (page === 'design/README.md' ? 'design/index.md' : page)
  const text =
    '[a](tools.md#schemas) [b](../reference/context.md) [c](../../apps/x/src/a.ts) [d](https://example.com/) ' +
    '[e](../design/README.md) [f](../public/grafana/jetway.json) [g](#here)'

  it("rewrites links so that they point to files of the site, relative to the page's folder", () => {
    expect(withLinks(text, 'guide/cli.md', publicOf, '')).toBe(
      '[a](tools.md#schemas) [b](../reference/context.md) [c](../source/apps/x/src/a.ts.txt) ' +
        '[d](https://example.com/) [e](../design/index.md) [f](../grafana/jetway.json) [g](#here)',
    )
  })

  it("makes links absolute if the site's address is known", () => {
    expect(
      withLinks('[a](tools.md#schemas) [b](#here)', 'guide/cli.md', publicOf, 'https://docs.example.com'),
    ).toBe(
      '[a](https://docs.example.com/guide/tools.md#schemas) [b](https://docs.example.com/guide/cli.md#here)',
    )
  })

  it('leaves code unchanged', () => {
    const code = '`a[0](b)` and\n```ts\nhandlers[name](args)\n```\n'
    expect(withLinks(`${code}[\`x\`](tools.md)`, 'design/a.md', publicOf, '')).toBe(
      `${code}[\`x\`](tools.md)`,
    )
  })
})
