import { describe, expect, it } from 'vitest'
import { createHome } from './support/home.ts'

const URL_TARGET = 'https://example.com/mcp'

describe('jetway install and uninstall without a host', () => {
  it.each([
    ['its number', '2', '.cursor/mcp.json'],
    ['its name', 'Cursor', '.cursor/mcp.json'],
    ['its id', 'codex', '.codex/config.toml'],
  ])('ask the user to choose an installed host, and accept %s', async (_, answer, file) => {
    const home = await createHome()
    await home.write('.claude.json', '{}')
    await home.write('.cursor/x', '')
    const { stdout, stderr, exitCode } = await home.runInTerminal(['install', URL_TARGET], answer)
    expect(stderr).toContain('Which host?\n  1 Claude Code\n  2 Cursor\n')
    expect({ stdout, exitCode }).toEqual({ stdout: `Added example-com in ${home.path(file)}\n`, exitCode: 0 })
  })

  it.each(['', '3', 'emacs'])('exit with a usage error if the answer is %j', async (answer) => {
    const home = await createHome()
    await home.write('.cursor/x', '')
    await home.write('.claude.json', '{}')
    expect(await home.runInTerminal(['install', URL_TARGET], answer)).toMatchObject({ exitCode: 2 })
    expect(await home.read('.cursor/mcp.json')).toBeUndefined()
  })

  it('exit with a usage error and a list of hosts if there is no terminal', async () => {
    const home = await createHome()
    await home.write('.codex/x', '')
    await home.write('.config/zed/x', '')
    expect(await home.run('install', URL_TARGET)).toMatchObject({
      exitCode: 2,
      stderr: 'error: There is no host\nThis machine has: zed, codex\n',
    })
  })

  it('ask for the host on uninstall too', async () => {
    const home = await createHome()
    await home.run('install', 'cursor', URL_TARGET)
    expect(await home.runInTerminal(['uninstall', URL_TARGET], '1')).toMatchObject({ exitCode: 0 })
    expect(await home.read('.cursor/mcp.json')).toBeUndefined()
  })
})
