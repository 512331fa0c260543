import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { listen } from '@jetway-apps/test-support/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { serveEverything } from '../support/serve.ts'

describe('jetway call', () => {
  it.each([
    [['echo', 'text=hello'], { stdout: 'hello\n', exitCode: 0 }],
    [
      ['statistics', 'numbers=1', 'numbers=3'],
      { stdout: '{"sum":4,"mean":2,"range":{"min":1,"max":3}}\n', exitCode: 0 },
    ],
    [['echo', '--args', '{"text":"from args"}'], { stdout: 'from args\n', exitCode: 0 }],
    [['test_image_content'], { stdout: '[image image/png, 69 bytes]\n', exitCode: 0 }],
    [['test://static-text'], { stdout: 'This is the content of the static text resource.\n', exitCode: 0 }],
    [
      ['test_prompt_with_arguments', '--prompt', 'arg1=1', 'arg2=b'],
      { stdout: "user: Prompt with arguments: arg1='1', arg2='b'\n", exitCode: 0 },
    ],
    [
      ['test_error_handling'],
      { stdout: 'This tool intentionally returns an error for testing\n', exitCode: 5 },
    ],
    [
      ['test_elicitation', 'message=Who?'],
      { stdout: 'User response: action=decline, content={}\n', exitCode: 0 },
    ],
    [['test_sampling', 'prompt=hi'], { stdout: '', exitCode: 1 }],
    [['protocol_error_job'], { stdout: '', exitCode: 1 }],
    [['test://nope'], { stdout: '', exitCode: 1 }],
    [['ecco'], { stdout: '', exitCode: 2 }],
    [[], { stdout: '', exitCode: 2 }],
    [['test://static-text', 'a=b'], { stdout: '', exitCode: 2 }],
    [['wait_for_cancellation', 'key=a', '--timeout', '0.5'], { stdout: '', exitCode: 1 }],
  ])('given the arguments %j, prints the result and sets the exit code', async (argv, expected) => {
    expect(await runCli(['call', await serveEverything(), ...argv])).toMatchObject(expected)
  })

  it('prints one JSON document with --json, even if the tool fails', async () => {
    const { stdout, stderr, exitCode } = await runCli([
      'call',
      await serveEverything(),
      'test_error_handling',
      '--json',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ isError: true, content: [{ type: 'text' }] })
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 5 })
  })

  it('reports the first line on stdout that is not a protocol message', async () => {
    const file = fileURLToPath(new URL('../fixtures/prints.ts', import.meta.url))
    const server = [process.execPath, '--conditions=jetway:source', '--import', 'tsx', file]
    const { stdout, stderr, exitCode } = await runCli(['call', 'hello', '--', ...server])
    expect({ stdout, exitCode }).toEqual({ stdout: 'Hello\n', exitCode: 0 })
    expect(stderr).toMatch(
      /^.*not valid JSON: "The server is starting".* Print logs on stderr, with console\.error\n$/,
    )
  })

  it('prints progress on stderr with --progress', async () => {
    const { stderr } = await runCli([
      'call',
      await serveEverything(),
      'test_tool_with_progress',
      '--progress',
    ])
    expect(stderr).toMatch(/progress 0\/100[\s\S]*progress 100\/100/)
  })
})

describe('jetway call', () => {
  const json = async (argv: readonly string[], env = {}) => {
    const { stderr, exitCode } = await runCli([...argv, '--json'], { env })
    return { ...(JSON.parse(stderr) as { error: { message: string } }).error, exitCode }
  }
  const answering = async (status: number, headers = {}): Promise<string> => {
    const { origin, release } = await listen((_, response) => response.writeHead(status, headers).end())
    onTestFinished(release)
    return `${origin}/mcp`
  }

  it('reports a server as unreachable if it is not listening', async () => {
    const { origin, release } = await listen(() => {})
    release()
    expect(await json(['list', `${origin}/mcp`])).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
      exitCode: 4,
    })
  })

  it('reports a refused token with a hint, but does not print the token', async () => {
    const url = await answering(401, { 'www-authenticate': 'Bearer' })
    const { message, ...rest } = await json(['call', url, 'echo', '--bearer-env', 'TOKEN'], {
      TOKEN: 's3cret',
    })
    expect(message).not.toContain('s3cret')
    expect(rest).toMatchObject({
      code: 'authorization-needed',
      hint: 'The token may have expired, or be for another server. Give another one',
      exitCode: 3,
    })
    expect(await json(['call', url, 'echo'])).toMatchObject({ hint: expect.stringContaining('--bearer-env') })
  })

  it('rejects an argument that the tool or prompt does not define', async () => {
    const url = await serveEverything()
    expect(await json(['call', url, 'echo', 'txt=hello'])).toMatchObject({
      code: 'usage',
      message: 'The argument txt is unknown',
      hint: 'Did you mean text?',
      exitCode: 2,
    })
    expect(await json(['call', url, 'echo', '--args', '{"text": "a", "count": 1}'])).toMatchObject({
      message: 'The argument count is unknown',
      hint: 'Use text',
    })
    const prompt = ['call', url, 'test_prompt_with_arguments', '--prompt', 'arg1=1', 'agr2=b']
    expect(await json(prompt)).toMatchObject({ message: 'The argument agr2 is unknown' })
  })

  it('reports a server as unreachable if its program is missing', async () => {
    const config = join(mkdtempSync(join(tmpdir(), 'jetway-cli-')), 'mcp.json')
    writeFileSync(config, '{"mcpServers":{"a":{"command":"/no/such/program"}}}')
    expect(await json(['list', '--config', config])).toMatchObject({ code: 'unreachable', exitCode: 4 })
  })
})

it('jetway call sends the headers set by --header and --bearer-env', async () => {
  const seen: (string | undefined)[] = []
  const { origin, release } = await listen(({ headers }, response) => {
    seen.push(headers.authorization, headers['x-team']?.toString())
    response.writeHead(403).end()
  })
  onTestFinished(release)
  const argv = ['list', `${origin}/mcp`, '--header', 'X-Team: blue', '--bearer-env', 'TOKEN']
  expect(await runCli(argv, { env: { TOKEN: 'abc' } })).toMatchObject({ exitCode: 3 })
  expect(seen.slice(0, 2)).toEqual(['Bearer abc', 'blue'])
})
