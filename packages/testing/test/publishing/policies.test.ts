import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSkills } from '@jetway/skills/folder'
import { describe, expect, it } from 'vitest'
import { root, textsIn } from './support.ts'

const path = fileURLToPath(root)
const read = (file: string): string => readFileSync(join(path, file), 'utf8')

/** Returns the relative links in a Markdown file, except those in code blocks. */
const linksIn = (markdown: string): string[] =>
  [...markdown.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^(?:[a-z]+:|<)/.test(link))

describe('the policy files', () => {
  // For each policy, one of the paths at which `tier-check` of the conformance suite looks for it.
  it.each([
    ['CHANGELOG.md'],
    ['SECURITY.md'],
    ['CONTRIBUTING.md'],
    ['docs/dependency-policy.md'],
    ['.github/dependabot.yml'],
    ['docs/roadmap.md'],
    ['docs/versioning.md'],
  ])('exist where tools look for them: %s', (file) => {
    expect(read(file).length).toBeGreaterThan(50)
  })

  it.each(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'AGENTS.md', '.github/CODE_OF_CONDUCT.md'])(
    'contain only links to existing files: %s',
    (file) => {
      const links = linksIn(read(file))
      expect(links.filter((link) => !existsSync(join(path, dirname(file), link)))).toEqual([])
    },
  )
})

describe('@deprecated tags', () => {
  const DEPRECATED = /@deprecated(?! since \d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\))[^\n]*/g

  it('contain a version and a date in every package', () => {
    const folders = readdirSync(join(path, 'packages')).filter((name) =>
      existsSync(join(path, 'packages', name, 'src')),
    )
    const found = folders.flatMap((name) =>
      [...textsIn(join(path, 'packages', name, 'src'), /\.ts$/)].flatMap(([file, text]) =>
        [...text.matchAll(DEPRECATED)].map(([line]) => `${name}/${file}: ${line}`),
      ),
    )
    expect(found).toEqual([])
  })

  it('are detected if the version and the date are missing', () => {
    expect('@deprecated Use b.'.match(DEPRECATED)).toHaveLength(1)
    expect('@deprecated since 1.2.0 (2027-01-31). Use b.'.match(DEPRECATED)).toBeNull()
  })
})

describe('the skill for coding agents', () => {
  const folder = join(path, 'docs/skills')

  it('can be read as a valid skill', async () => {
    const skills = await readSkills(folder)
    expect(skills.map(({ name }) => name)).toEqual(['jetway'])
  })

  it('is short, and links only to files in its own folder', () => {
    const texts = textsIn(folder, /\.md$/)
    expect(texts.get('jetway/SKILL.md')?.split('\n').length).toBeLessThan(500)
    for (const [file, text] of texts)
      for (const link of linksIn(text)) {
        const target = join(folder, dirname(file), link)
        expect({
          file,
          link,
          exists: existsSync(target),
          within: target.startsWith(join(folder, 'jetway')),
        }).toEqual({
          file,
          link,
          exists: true,
          within: true,
        })
      }
  })

  it('mentions each of its reference files', () => {
    const text = read('docs/skills/jetway/SKILL.md')
    for (const name of readdirSync(join(folder, 'jetway/references')))
      expect(text).toContain(`references/${name}`)
  })
})
