import { readdirSync, readFileSync } from 'node:fs'
import { statOf } from '@jetway-apps/test-support/processes'
import { expect, it } from 'vitest'
import { SERVER_PROCESS } from '../../src/dev/process/server-process.ts'
import { createProject, definition, devOverHttp } from './support/project.ts'

/** Returns the processes that run, or will run, the server's file. Other child processes belong to tsx. */
const serversOf = (parent: number | undefined): readonly string[] =>
  readdirSync('/proc').filter(
    (pid) =>
      /^\d+$/.test(pid) &&
      statOf(Number(pid))[1] === String(parent) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(SERVER_PROCESS),
  )

const prints = (save: number): string => definition([], `console.log('save ${save} pid', process.pid)`)

it('jetway dev serves each saved version from a process that was started in advance', async () => {
  const project = await createProject(prints(0))
  const dev = await devOverHttp(project)
  const used: string[] = []
  for (let save = 1; save <= 3; save++) {
    const [, pid = ''] = await dev.until(new RegExp(`save ${save - 1} pid (\\d+)`))
    used.push(pid)
    const unused = (): readonly string[] =>
      serversOf(dev.process.pid).filter((child) => !used.includes(child))
    await expect.poll(unused).toHaveLength(1)
    const [ahead] = unused()
    // Replacing the file causes a single change, whereas a file that is written in place is briefly empty.
    await project.replace(prints(save))
    const [, next] = await dev.until(new RegExp(`save ${save} pid (\\d+)`))
    expect(next).toBe(ahead)
  }
})
