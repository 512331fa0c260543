import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { serveEverything } from '../support/serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'jetway-cli-'))
const config = join(folder, 'mcp.json')

function writeConfig(file: string, url: string): void {
  writeFileSync(file, JSON.stringify({ mcpServers: { weather: { url }, off: { url, disabled: true } } }))
}

describe('connect', () => {
  it('connects to a server in a configuration file', async () => {
    writeConfig(config, await serveEverything())
    expect(
      await runCli(['call', 'echo', 'text=hi', '--config', config, '--server', 'weather']),
    ).toMatchObject({
      stdout: 'hi\n',
    })
    expect(await runCli(['call', 'echo', 'text=hi', '--config', config])).toMatchObject({ stdout: 'hi\n' })
    expect(await runCli(['list', '--config', config, '--server', 'wether'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: The server wether is unknown\nDid you mean weather?\n',
    })
    expect(await runCli(['list', '--config', config, '--server', 'off'])).toMatchObject({ exitCode: 1 })
  })

  it.each([
    [['list'], 'There is no target'],
    [['list', '--'], 'There is no command after --'],
    [['list', 'nope.ts'], 'The file nope.ts does not exist'],
    [['list', 'package.json'], 'package.json is not a server'],
    [['list', 'README.md'], 'README.md is not a TypeScript or JavaScript file'],
    [['list', 'http://'], 'http:// is not a valid URL'],
    [['list', 'cursr:weather'], 'The host cursr is unknown\nDid you mean cursor?'],
    [['list', '--server', 'a'], '--server needs --config'],
    [['list', '--config', 'a.json', '--', 'node'], 'Set either --config or a command after --, not both'],
    [['list', 'http://127.0.0.1:1/mcp', '--header', 's3cret'], 'A --header must have the form "Name: value"'],
    [['list', 'http://127.0.0.1:1/mcp', '--bearer-env', 'NONE'], 'The environment variable NONE is not set'],
    [['list', '--header', 'a: b', '--', 'node'], '--header and --bearer-env are for a URL'],
    [['list', 'http://127.0.0.1:1/mcp', '--timeout', 'long'], '--timeout must be a number of seconds'],
    [['list', 'http://127.0.0.1:1/mcp', '--header'], "--header needs a value: 'K: V'"],
  ])('rejects %j', async (argv, message) => {
    const { stdout, stderr, exitCode } = await runCli(argv)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('s3cret')
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
  })
})
