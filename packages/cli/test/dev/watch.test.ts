import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchFiles } from '../../src/dev/watch.ts'

/** Between saves of one file: longer than changes are gathered, in ms. */
const SAVE_MS = 150

it('reports imported files, files of the project and those of the patterns', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'jetway-watch-')))
  for (const name of ['data/sub', 'data/node_modules', 'data/.git'])
    await mkdir(join(folder, name), { recursive: true })
  const changed = new Set<string>()
  const watching = watchFiles({
    folder,
    globs: ['data/**/*.json', 'single.txt'],
    onChange: (urls) => {
      for (const url of urls) changed.add(url)
    },
  })
  onTestFinished(async () => {
    await watching.close()
    await rm(folder, { recursive: true, force: true })
  })
  const file = (name: string) => join(folder, name)
  const urlOf = (name: string) => pathToFileURL(file(name)).href
  await writeFile(file('server.ts'), '')
  watching.add(`${urlOf('server.ts')}?tsx=1`)
  watching.add(urlOf('server.ts'))
  const seen = ['server.ts', '.env', 'tsconfig.json', 'package.json', 'data/sub/a.json', 'single.txt']
  const unseen = ['other.ts', 'data/a.txt', 'data/node_modules/a.json', 'data/.git/a.json']
  let save = 0
  await vi.waitFor(
    async () => {
      save++
      for (const name of [...unseen, ...seen]) await writeFile(file(name), `${save}`)
      expect([...changed].toSorted()).toEqual(seen.map(urlOf).toSorted())
    },
    { interval: SAVE_MS },
  )
})
