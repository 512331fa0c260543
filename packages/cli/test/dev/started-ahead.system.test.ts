import { readdirSync } from 'node:fs'
import { statOf } from '@jetway-apps/test-support/processes'
import { expect, it, vi } from 'vitest'
import { createProject, definition, devOverHttp } from './support/project.ts'

const childrenOf = (parent: number | undefined): readonly string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && statOf(Number(pid))[1] === String(parent))

const prints = (save: number): string => definition([], `console.log('save ${save} pid', process.pid)`)

it('each save is served by the process that was started ahead for it', async () => {
  const project = await createProject(prints(0))
  const dev = await devOverHttp(project)
  const used: string[] = []
  for (let save = 1; save <= 3; save++) {
    const [, pid = ''] = await dev.until(new RegExp(`save ${save - 1} pid (\\d+)`))
    used.push(pid)
    const ahead = await vi.waitFor(() => {
      const unused = childrenOf(dev.process.pid).filter((child) => !used.includes(child))
      expect(unused).toHaveLength(1)
      return unused[0]
    })
    await project.save(prints(save))
    const [, next] = await dev.until(new RegExp(`save ${save} pid (\\d+)`))
    expect(next).toBe(ahead)
  }
})
