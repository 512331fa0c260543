import { readdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { applyChange, planChange } from '../../src/install/file.ts'
import { createHome } from './support/home.ts'

describe('applyChange with concurrent changes', () => {
  it('reads the file again if another process has changed it, and preserves both changes', async () => {
    const home = await createHome()
    await home.write('a', 'one')
    const seen: unknown[] = []
    const planned = await planChange(home.path('a'), async ({ text }) => {
      seen.push(text)
      if (seen.length === 1) await writeFile(home.path('a'), 'two')
      return { text: `${text}+`, secret: false }
    })
    await applyChange(planned)
    expect(seen).toEqual(['one', 'two'])
    expect(await home.read('a')).toBe('two+')
  })

  it('gives up without writing if another process changes the file during every attempt', async () => {
    const home = await createHome()
    await home.write('a', '0')
    const planned = await planChange(home.path('a'), async ({ text }) => {
      await writeFile(home.path('a'), `${Number(text) + 1}`)
      return { text: 'ours', secret: false }
    })
    await expect(applyChange(planned)).rejects.toThrow(/changes all the time/)
    expect(await home.read('a')).toBe('3')
    expect((await readdir(home.path(''))).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
