import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { watchFiles } from '../../src/dev/watch.ts'

function folderOf(files: readonly string[], links: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jetway-watch-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(folder, link))
  return folder
}

const openWatchers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'FSEventWrap').length

function watchIn(folder: string, ...globs: readonly string[]) {
  const changed: string[] = []
  const printed: string[] = []
  const before = openWatchers()
  const watching = watchFiles({
    folder,
    globs,
    onChange: (urls) => changed.push(...urls.map((url) => basename(url))),
    print: (text) => printed.push(text),
  })
  onTestFinished(() => watching.close())
  return {
    changed,
    printed,
    opened: () => openWatchers() - before,
    /** Writes the file until the change is noticed. */
    save: (file: string) =>
      vi.waitFor(
        () => {
          writeFileSync(join(folder, file), String(performance.now()))
          expect(changed).toContain(basename(file))
        },
        { timeout: 10_000, interval: 100 },
      ),
  }
}

const far = Array.from({ length: 30 }, (_, at) => `far/${at}/a.json`)

describe('watchFiles', () => {
  it('does not follow symbolic links inside the folder of a pattern', async () => {
    const folder = folderOf(['project/data/a.json', ...far])
    const links = { parent: '..', self: 'self', broken: 'nowhere', far: '../../far' }
    for (const [link, target] of Object.entries(links))
      symlinkSync(target, join(folder, 'project/data', link))
    const { save, changed, opened, printed } = watchIn(join(folder, 'project'), 'data/**/*.json')
    await save('data/a.json')
    writeFileSync(join(folder, 'far/7/a.json'), 'changed')
    await save('data/last.json')
    expect(new Set(changed)).toEqual(new Set(['a.json', 'last.json']))
    expect(opened()).toBeLessThan(15)
    expect(printed).toEqual([])
  })

  it('does not watch folders that are deeper than a pattern can match', async () => {
    const folder = folderOf(['data/a.json', ...far.map((file) => `data/${file}`)])
    const { save, opened } = watchIn(folder, 'data/*.json')
    await save('data/a.json')
    expect(opened()).toBeLessThan(15)
  })

  it.each([
    ['data/*/b.json', 'data/one/b.json'],
    ['data/{one,two/three}/*.json', 'data/two/three/c.json'],
    ['data', 'data/one/b.json'],
    ['link/**/*.json', 'data/one/b.json'],
  ])('reports the files that match %s', async (pattern, file) => {
    const folder = folderOf(['data/one/b.json', 'data/two/three/c.json'], { link: 'data' })
    const { save, printed } = watchIn(folder, pattern)
    await save(file)
    expect(printed).toEqual([])
  })

  it('reports links that cannot be watched, and watches the rest', async () => {
    const folder = folderOf(['a.json'], { '.env': '.env', up: '..' })
    const { save, printed } = watchIn(folder, '*.json', 'up/**')
    await save('a.json')
    expect(printed).toEqual([
      `Cannot watch up/**: ${join(folder, 'up')} is a link to ${dirname(folder)}, which contains this folder`,
      expect.stringMatching(/^Cannot watch everything: ELOOP/),
    ])
  })

  it('does not watch .env if it is a folder', async () => {
    const folder = folderOf(far.map((file) => file.replace('far', '.env')))
    const { save, opened } = watchIn(folder)
    await save('package.json')
    expect(opened()).toBeLessThan(10)
  })
})
