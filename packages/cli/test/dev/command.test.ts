import { fileURLToPath } from 'node:url'
import { listen } from '@jetway-apps/test-support/http'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../support/run-cli.ts'

const FILE = fileURLToPath(import.meta.url)

it.each([
  ['a missing argument', [], 2, 'jetway dev needs a file'],
  ['two files', ['a.ts', 'b.ts'], 2, 'Unexpected argument b.ts'],
  ['a missing folder', ['a.ts', '--cwd', '/no/such/folder'], 2, '/no/such/folder does not exist'],
  ['a missing file', ['/no/such/file.ts'], 1, 'There is no file /no/such/file.ts'],
  ['a port that is not a number', [FILE, '--port', '8o'], 2, '--port is a number from 0 to 65535, not 8o'],
  ['a port above 65535', [FILE, '--port', '65536'], 2, 'not 65536'],
  ['a port with too many digits', [FILE, '--port', '000001'], 2, 'not 000001'],
])('jetway dev rejects %s', async (_, args, exitCode, message) => {
  const run = await runCli(['dev', ...args])
  expect(run.stderr).toContain(message)
  expect(run.exitCode).toBe(exitCode)
})

it('jetway dev fails if its port is in use', async () => {
  const { port, release } = await listen(() => {})
  onTestFinished(release)
  const { exitCode, stderr } = await runCli(['dev', FILE, '--port', `${port}`])
  expect(stderr).toContain(`Port ${port} is in use`)
  expect(stderr).toContain('--port')
  expect(exitCode).toBe(1)
})
