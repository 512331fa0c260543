import { expect, it } from 'vitest'
import { runCli } from '../../support/run-cli.ts'

it.each([
  [['--directory', 'clade'], 'Did you mean claude?'],
  [['--directory', 'claude', '--out', 'a.json'], '--out is for --directory chatgpt only'],
  [['--bundle', 'a.mcpb'], '--bundle needs --directory'],
  [['--env', 'A=1'], '--env needs --directory'],
])('jetway doctor rejects %j', async (argv, text) => {
  expect(await runCli(['doctor', ...argv])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(text),
  })
})

it.each(['bundle', 'server-json', 'types', 'doctor'])(
  'jetway %s prints its usage with --help',
  async (name) => {
    const { stdout, exitCode } = await runCli([name, '--help'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^Usage: jetway ${name} [[<]`))
  },
)
