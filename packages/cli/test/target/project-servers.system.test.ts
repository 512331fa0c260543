import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import process from 'node:process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HOSTS } from '../../src/hosts/index.ts'
import { createHome, type Home } from '../install/support/home.ts'
import { serveEverything } from '../support/serve.ts'

interface Clone extends Home {
  /** Whether the project's command has run. */
  readonly hasRun: () => boolean
}

/** Enters a cloned project with a host's config file that defines the server `shop`. */
async function clone(id: string, env: Readonly<Record<string, string>> = {}): Promise<Clone> {
  const home = await createHome(env)
  await home.write('project/package.json', '{}')
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(home.path('project'))
  onTestFinished(() => cwd.mockRestore())
  const command = ['sh', '-c', `env > ${home.path('ran')}`]
  const installed = await home.run('install', id, '--project', '--name', 'shop', '--', ...command)
  expect(installed).toMatchObject({ exitCode: 0 })
  // The installation has run the command once, because the user typed it.
  rmSync(home.path('ran'), { force: true })
  return { ...home, hasRun: () => existsSync(home.path('ran')) }
}

const WITH_PROJECTS = HOSTS.filter(({ projectFile }) => projectFile !== undefined).map(({ id }) => id)

const commandsFor = (id: string): readonly (readonly string[])[] => [
  ['list', `${id}:shop`],
  ['call', `${id}:shop`, 'echo'],
  ['doctor', `${id}:shop`],
  ['doctor', '--host', id],
  ['doctor'],
]

describe("a server in a project's config file", () => {
  it.each(WITH_PROJECTS)("does not run without the user's consent: %s", async (id) => {
    const project = await clone(id)
    for (const argv of commandsFor(id)) {
      for (const options of [[], ['--json'], ['--yes']]) {
        const { stdout, stderr, exitCode } = await project.run(...argv, ...options)
        expect([argv, exitCode]).toEqual([argv, argv[0] === 'doctor' ? 0 : 1])
        expect(stdout + stderr).toMatch(/--project if you trust .*-c/)
      }
      await project.runInTerminal(argv, 'n')
    }
    expect(project.hasRun()).toBe(false)
  })

  it.each(WITH_PROJECTS)('runs if the user passes --project: %s', async (id) => {
    const project = await clone(id)
    await project.run('list', `${id}:shop`, '--project')
    expect(project.hasRun()).toBe(true)
  })

  it("never receives the user's environment variables from jetway doctor", async () => {
    for (const id of WITH_PROJECTS) {
      const project = await clone(id, { SHOP_SECRET: 'canary' })
      await project.run('doctor', `${id}:shop`, '--project')
      expect(await project.read('ran')).toContain('PATH=')
      expect(await project.read('ran')).not.toContain('canary')
    }
  })

  it("does not receive the user's environment variables, even if its command is named node", async () => {
    const home = await createHome({ SHOP_SECRET: 'canary' })
    await home.write('project/bin/node', `#!/bin/sh\nenv > ${home.path('ran')}\n`)
    await chmod(home.path('project/bin/node'), 0o755)
    await home.write('project/server.js', '')
    const entry = { command: home.path('project/bin/node'), args: [home.path('project/server.js')] }
    await home.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { shop: entry } }))
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(home.path('project'))
    onTestFinished(() => cwd.mockRestore())
    await home.run('doctor', 'cursor:shop', '--project')
    expect(await home.read('ran')).toContain('PATH=')
    expect(await home.read('ran')).not.toContain('canary')
  })
})

it("jetway doctor --config does not pass the user's environment variables to a program", async () => {
  const home = await createHome({ SHOP_SECRET: 'canary' })
  const command = `env >> ${home.path('ran')}; echo missing SHOP_SECRET >&2; exit 1`
  await home.write(
    'mcp.json',
    JSON.stringify({ mcpServers: { shop: { command: 'sh', args: ['-c', command] } } }),
  )
  await home.run('doctor', '--config', home.path('mcp.json'))
  expect(await home.read('ran')).toContain('PATH=')
  expect(await home.read('ran')).not.toContain('canary')
})

describe("the confirmation before starting a project's server", () => {
  const entryOf = (url: string, headers: object = {}): string =>
    JSON.stringify({ mcpServers: { shop: { url, headers } } })

  async function enter(url: string): Promise<Home> {
    const home = await createHome()
    await home.write('project/.cursor/mcp.json', entryOf(url))
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(home.path('project'))
    onTestFinished(() => cwd.mockRestore())
    return home
  }

  const call = ['call', 'cursor:shop', 'echo', 'text=hi']

  it('is requested once per entry, and again if the entry changes', async () => {
    const url = await serveEverything()
    const home = await enter(url)
    const first = await home.runInTerminal(call, 'y')
    expect(first).toMatchObject({
      stdout: 'hi\n',
      stderr: expect.stringContaining(`"url": "${url}"`) as string,
    })
    expect(await home.run(...call)).toMatchObject({ stdout: 'hi\n', stderr: '' })

    await home.write('project/.cursor/mcp.json', entryOf(url, { K: '${HOME}' }))
    expect(await home.run(...call)).toMatchObject({ stdout: '', exitCode: 1 })
    const second = await home.runInTerminal(call, 'no')
    expect(second).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('${HOME}') as string,
      exitCode: 1,
    })
  })

  it("shows the content of the entry's envFile, and is requested again if that file changes", async () => {
    const home = await enter(await serveEverything())
    const entry = {
      command: 'sh',
      args: ['-c', `echo "$A" > ${home.path('ran')}`],
      envFile: '${workspaceFolder}/.env',
    }
    await home.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { shop: entry } }))
    await home.write('project/.env', 'A=first\n')
    const { stderr } = await home.runInTerminal(call, 'y')
    expect(stderr).toContain('A=first')
    expect(await home.read('ran')).toBe('first\n')
    await home.write('project/.env', 'A=second\n')
    expect(await home.run(...call)).toMatchObject({ exitCode: 1 })
    expect(await home.read('ran')).toBe('first\n')
  })

  it.each(['${HOME}/.env', 'missing.env'])(
    'is requested every time if the envFile is %s',
    async (envFile) => {
      const home = await enter(await serveEverything())
      const entry = { command: 'sh', args: ['-c', 'true'], envFile }
      await home.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { shop: entry } }))
      await home.runInTerminal(call, 'y')
      const { stderr } = await home.run(...call)
      expect(stderr).toContain('Add --project if you trust')
    },
  )

  it('applies only to the entry that was shown to the user', async () => {
    const url = await serveEverything()
    const home = await enter(url)
    const file = home.path('project/.cursor/mcp.json')
    const { stderr, exitCode } = await home.runInTerminal(call, () => {
      writeFileSync(file, entryOf('http://127.0.0.1:1/other'))
      return 'y'
    })
    expect({ stderr, exitCode }).toMatchObject({
      stderr: expect.stringContaining('has changed meanwhile') as string,
      exitCode: 1,
    })
  })

  it('shows the entry with its control characters replaced', async () => {
    const home = await enter('http://127.0.0.1:1/\u202Emcp')
    const { stderr } = await home.runInTerminal(call, 'n')
    expect(stderr).toContain('\uFFFDmcp')
    expect(stderr).not.toContain('\u202E')
  })

  it("is skipped if the server is defined in the user's own file", async () => {
    const home = await enter('http://127.0.0.1:1/mcp')
    await home.write('.cursor/mcp.json', entryOf(await serveEverything()))
    expect(await home.runInTerminal(call)).toMatchObject({ stdout: 'hi\n', stderr: '' })
  })
})
