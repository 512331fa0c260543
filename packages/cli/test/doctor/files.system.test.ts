/**
 * The user's files, which run in the harness. The command runs in its own process, because the harness
 * inherits its `--conditions`.
 */
import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createHome } from '../install/support/home.ts'
import { fixture } from '../support/bin.ts'

const MAIN = fileURLToPath(new URL('../../src/bin.ts', import.meta.url))
const SOURCE = ['--conditions=jetway:source', '--import', import.meta.resolve('tsx'), MAIN]

interface Run {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

const doctor = (...argv: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...SOURCE, 'doctor', ...argv], (error, stdout, stderr) =>
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) }),
    )
  })

it('jetway doctor examines a file that exports a server', async () => {
  const { stdout, exitCode } = await doctor(fixture('definition'))
  expect(stdout).toMatch(/✓ start +It answers, and has 2 tools/)
  expect(stdout).toMatch(/✓ shutdown /)
  expect(exitCode).toBe(0)
})

it('jetway doctor examines a file that serves HTTP on a free port', async () => {
  const example = fileURLToPath(
    new URL('../../../../apps/examples/src/quickstart/quickstart.ts', import.meta.url),
  )
  const { stdout, exitCode } = await doctor(example)
  expect(stdout).toMatch(/✓ start +It serves HTTP[^]*✓ origin [^]*✓ revisions /)
  expect(exitCode).toBe(0)
})

it('jetway doctor reports a file that contains no server', async () => {
  const home = await createHome()
  await home.write('nothing.mjs', 'export const a = 1')
  const { stdout, exitCode } = await doctor(home.path('nothing.mjs'))
  expect(stdout).toMatch(/✗ start .*nothing\.mjs exports no McpServer[^]*→ Export an McpServer/)
  expect(exitCode).toBe(1)
})

it('jetway doctor exits with a usage error if a file contains several servers', async () => {
  const home = await createHome()
  const core = import.meta.resolve('@jetway/core')
  await home.write(
    'two.mjs',
    `import { McpServer } from ${JSON.stringify(core)}
export const a = new McpServer({ name: 'a', version: '1' })
export const b = new McpServer({ name: 'b', version: '1' })`,
  )
  const { stderr, exitCode } = await doctor(home.path('two.mjs'))
  expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining('--export'), exitCode: 2 })
})
