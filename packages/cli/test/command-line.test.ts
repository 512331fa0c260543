import { describe, expect, it } from 'vitest'
import { runCli } from './support/run-cli.ts'

describe('jetway', () => {
  it('prints the commands with --help', async () => {
    const { stdout, stderr, exitCode } = await runCli(['--help'])
    expect(stdout).toMatch(/Usage: jetway <command>[\s\S]* list .*[\s\S]* call /)
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  })

  it('prints the options of a command with --help', async () => {
    const { stdout, exitCode } = await runCli(['list', '--help'])
    expect(stdout).toMatch(/Usage: jetway list <target>[\s\S]*--json/)
    expect(exitCode).toBe(0)
  })

  it('prints its version', async () => {
    expect(await runCli(['--version'])).toMatchObject({
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      exitCode: 0,
    })
  })

  it.each([
    [[], /Usage: jetway/],
    [['lst'], /Unknown command lst\nDid you mean jetway list\?/],
    [['frobnicate'], /Unknown command frobnicate\njetway --help lists the commands/],
    [['constructor'], /Unknown command constructor/],
    [['--frob'], /Unknown option --frob\nThe command comes first/],
    [['list', '--jsn'], /Unknown option --jsn\nDid you mean --json\?/],
    [['list', '--json=1'], /--json takes no value/],
  ])('exits with a usage error for the arguments %j', async (argv, message) => {
    const { stdout, stderr, exitCode } = await runCli(argv)
    expect(stderr).toMatch(message)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
  })

  it('prints errors as one line of JSON with --json', async () => {
    const { stderr } = await runCli(['lst', '--json'])
    expect(stderr).toBe(
      `${JSON.stringify({ error: { code: 'usage', message: 'Unknown command lst', hint: 'Did you mean jetway list?' } })}\n`,
    )
  })

  it('does not treat --json after -- as an option', async () => {
    const { stderr } = await runCli(['lst', '--', 'node', '--json'])
    expect(stderr).toMatch(/^error: /)
  })
})

describe('colours', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('are used only in a terminal that supports and allows them: %s', async (_, isTTY, env, coloured) => {
    const { stderr } = await runCli(['lst'], { isTTY, env })
    expect(stderr.includes('\u001B[')).toBe(coloured)
  })
})
