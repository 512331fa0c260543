import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { listProcesses } from '../../src/stdio/process-table.ts'
import { processTree } from '../../src/stdio/process-tree.ts'

/**
 * Pretends to run on another platform, with a folder at the start of PATH. `write` creates programs that log
 * their arguments.
 */
async function on(platform: NodeJS.Platform) {
  const folder = await mkdtemp(join(tmpdir(), 'jetway-programs-'))
  const actual = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`)
  onTestFinished(async () => {
    Object.defineProperty(process, 'platform', { value: actual })
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })
  const logOf = (name: string): string => join(folder, `${name}.log`)
  return {
    folder,
    write: (name: string) =>
      writeFile(join(folder, name), `#!/bin/sh\necho "$@" >> '${logOf(name)}'\n`, { mode: 0o755 }),
    log: (name: string) => readFile(logOf(name), 'utf8').catch(() => 'not called'),
  }
}

it("listProcesses() uses the system's own ps on macOS, and ignores PATH", async () => {
  const { write, log } = await on('darwin')
  await write('ps')
  const processes = await listProcesses('X=1')
  expect(await log('ps')).toBe('not called')
  expect(processes.map(({ pid }) => pid)).toContain(process.pid)
})

it("processTree() kills processes with the system's own taskkill on Windows, and ignores PATH", async () => {
  const { folder, write, log } = await on('win32')
  await write('taskkill')
  // On this system, this is a single file name that contains backslashes.
  const name = String.raw`windows\System32\taskkill.exe`
  await write(name)
  vi.stubEnv('SystemRoot', join(folder, 'windows'))
  await processTree(4711, 'mark', () => false).signal('SIGTERM')
  expect(await log('taskkill')).toBe('not called')
  expect(await log(name)).toBe('/pid 4711 /T /F\n')
})
