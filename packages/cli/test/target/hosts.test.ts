import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HOSTS } from '../../src/hosts/index.ts'
import { createHome } from '../install/support/home.ts'
import { serveEverything } from '../support/serve.ts'

const call = (target: string): readonly string[] => ['call', target, 'echo', 'text=hi']

describe("a target in a host's configuration", () => {
  it.each(HOSTS.filter(({ remote }) => remote !== undefined).map(({ id }) => id))(
    'is found in the file to which jetway install wrote it: %s',
    async (id) => {
      const home = await createHome()
      await home.run('install', id, await serveEverything(), '--name', 'all')
      expect(await home.run(...call(`${id}:all`))).toMatchObject({ stdout: 'hi\n', exitCode: 0 })
    },
  )

  it("is taken from the user's own file, preferably from an entry for the current folder", async () => {
    const home = await createHome()
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(home.path('project'))
    onTestFinished(() => cwd.mockRestore())
    const url = await serveEverything()
    const of = (address: string): object => ({ mcpServers: { all: { type: 'http', url: address } } })
    const wrong = of('http://127.0.0.1:1/mcp')

    await home.write('project/.mcp.json', JSON.stringify(wrong))
    await home.write('.claude.json', JSON.stringify(of(url)))
    expect(await home.run(...call('claude-code:all'))).toMatchObject({ stdout: 'hi\n' })

    const projects = { [home.path('project')]: of(url) }
    await home.write('.claude.json', JSON.stringify({ ...wrong, projects }))
    expect(await home.run(...call('claude-code:all'))).toMatchObject({ stdout: 'hi\n' })
  })

  it('does not require inputs that are used only by other servers', async () => {
    const home = await createHome()
    const servers = {
      all: { url: await serveEverything() },
      other: { url: 'https://h/mcp', headers: { K: '${input:key}' } },
    }
    const inputs = [{ id: 'key', type: 'promptString', description: 'The key' }]
    await home.write('.config/Code/User/mcp.json', JSON.stringify({ inputs, servers }))
    expect(await home.runInTerminal(call('vscode:all'))).toMatchObject({ stdout: 'hi\n', stderr: '' })
  })

  it.each([
    [
      'a disabled entry',
      'codex',
      '.codex/config.toml',
      '[mcp_servers.a]\ncommand = "x"\nenabled = false\n',
      1,
      'is disabled',
    ],
    [
      'an entry that runs inside its host',
      'goose',
      '.config/goose/config.yaml',
      'extensions:\n  a:\n    type: builtin\n',
      1,
      'type must be',
    ],
    [
      'a file that does not parse',
      'goose',
      '.config/goose/config.yaml',
      'extensions: [\n',
      1,
      'config.yaml cannot be read',
    ],
    [
      'a variable without a value',
      'cursor',
      '.cursor/mcp.json',
      '{"mcpServers":{"a":{"command":"${NO}"}}}',
      1,
      'needs the environment variable NO',
    ],
    [
      'a variable reference in a host that does not support them',
      'claude-desktop',
      '.config/Claude/claude_desktop_config.json',
      '{"mcpServers":{"a":{"command":"/${NO}"}}}',
      4,
      '/${NO}',
    ],
    [
      'a file without servers',
      'zed',
      '.config/zed/settings.json',
      '{"theme":"x"}',
      2,
      'The server of zed a is unknown',
    ],
  ])('is rejected if it refers to %s', async (_, id, file, text, exitCode, message) => {
    const home = await createHome()
    await home.write(file, text)
    expect(await home.run(...call(`${id}:a`))).toMatchObject({
      exitCode,
      stderr: expect.stringContaining(message),
    })
  })
})
