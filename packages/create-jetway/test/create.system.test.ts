import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { program } from '@jetway-tools/runtimes/program'
import { describe, expect, it, vi } from 'vitest'
import { TEMPLATE_NAMES } from '../src/template-names.ts'
import { commandLine, type CommandLine } from './support/command-line.ts'

const QUIET = ['--no-install', '--no-git'] as const

/** Returns the text of every file below a folder, keyed by path. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  const files = paths.filter((path) => statSync(join(folder, path)).isFile())
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Starts the command in a separate process. */
function start({ cwd, env }: CommandLine, ...argv: readonly string[]): ChildProcess {
  const command = program(new URL('../src/bin.ts', import.meta.url))
  const options = { cwd, env: { ...process.env, ...env } }
  return spawn(process.execPath, [...command, ...argv], { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
}

describe('create-jetway', () => {
  it('creates a project from the stdio template, and prints the next steps', async () => {
    const line = commandLine()
    expect(await line.run('my-server', ...QUIET)).toBe(0)
    const manifest = JSON.parse(readFileSync(join(line.cwd, 'my-server/package.json'), 'utf8')) as object
    expect(manifest).toMatchObject({
      name: 'my-server',
      dependencies: { '@jetway/stdio': expect.any(String) },
    })
    expect(line.output.stdout).toMatch(/cd my-server\n {2}npm install\n {2}npm run dev\n/)
    expect(readdirSync(line.cwd)).toEqual(['my-server'])
    expect(statSync(join(line.cwd, 'my-server')).mode & 0o777).toBe(0o777 & ~process.umask())
  })

  it.each(TEMPLATE_NAMES)('creates the same files each time: %s', async (template) => {
    const line = commandLine()
    for (const parent of ['a', 'b'])
      expect(await line.run(`${parent}/my-server`, '--template', template, ...QUIET)).toBe(0)
    expect(filesIn(join(line.cwd, 'a'))).toEqual(filesIn(join(line.cwd, 'b')))
  })

  it('creates a Git repository unless the folder is already inside one', async () => {
    const line = commandLine()
    expect(await line.run('outer', '--no-install')).toBe(0)
    expect(await line.run('outer/inner', '--no-install')).toBe(0)
    expect(existsSync(join(line.cwd, 'outer/.git/HEAD'))).toBe(true)
    expect(existsSync(join(line.cwd, 'outer/inner/.git'))).toBe(false)
  })

  it('derives the name and the title from the folder', async () => {
    const line = commandLine()
    expect(await line.run('My Weather_Server', ...QUIET)).toBe(0)
    const server = readFileSync(join(line.cwd, 'My Weather_Server/src/server.ts'), 'utf8')
    expect(server).toContain("name: 'my-weather_server', title: 'My weather server'")
    expect(line.output.stdout).toContain('cd "My Weather_Server"')
  })

  it("creates the project even if the command's output is closed", async () => {
    const line = commandLine()
    const child = start(line, 'a', ...QUIET)
    const exited = once(child, 'exit')
    child.stdout?.destroy()
    expect(await exited).toEqual([0, null])
    expect(existsSync(join(line.cwd, 'a/README.md'))).toBe(true)
  })

  it('prints its options and templates with --help, and its version with --version', async () => {
    const line = commandLine()
    expect(await line.run('--help')).toBe(0)
    for (const template of TEMPLATE_NAMES) expect(line.output.stdout).toContain(`  ${template} `)
    expect(await line.run('--version')).toBe(0)
    expect(line.output.stdout).toMatch(/\n\d+\.\d+\.\d+\S*\n$/)
    expect(readdirSync(line.cwd)).toEqual([])
  })
})

describe('the target folder', () => {
  it.each(['', '.git'])('may be empty, or contain only .git: %j', async (inside) => {
    const line = commandLine()
    if (inside !== '') mkdirSync(join(line.cwd, inside))
    expect(await line.run('.', '--no-install')).toBe(0)
    expect(readdirSync(line.cwd)).toEqual(
      expect.arrayContaining(['.git', '.gitignore', 'src', 'package.json']),
    )
    expect(readdirSync(line.cwd).filter((name) => name.startsWith('.create'))).toEqual([])
  })

  it.each([
    ['a folder with a file', (path: string) => (mkdirSync(path), writeFileSync(join(path, 'mine'), '1'))],
    ['a file', (path: string) => writeFileSync(path, '1')],
    ['a link that leads nowhere', (path: string) => symlinkSync('nowhere', path)],
    ['a link to a folder', (path: string) => (mkdirSync(`${path}-too`), symlinkSync(`${path}-too`, path))],
  ])('is rejected and left unchanged if it is %s', async (_, make) => {
    const line = commandLine()
    make(join(line.cwd, 'taken'))
    const before = readdirSync(line.cwd, { recursive: true, encoding: 'utf8' })
    expect(await line.run('taken', ...QUIET)).toBe(2)
    expect(line.output.stderr).toMatch(
      /^\/.*\/taken (?:is not empty|exists, and is not a folder)\nName a new /,
    )
    expect(readdirSync(line.cwd, { recursive: true })).toEqual(before)
  })
})

describe('the command-line parser', () => {
  it.each([
    [[], 'The folder is missing'],
    [['a', 'b'], 'Unexpected argument b'],
    [['a', '--template', 'koa'], 'There is no template koa'],
    [['a', '--pm', 'cnpm'], 'Unknown package manager cnpm'],
    [['a', '--templates', 'stdio'], "Unknown option '--templates'"],
    [['a', '--template'], "Option '-t, --template <value>' argument missing"],
    [['…'], '… is no name for a package'],
    [['node_modules'], 'node_modules is no name for a package'],
  ])('rejects invalid arguments with exit code 2, and writes no files: %j', async (argv, message) => {
    const line = commandLine()
    expect(await line.run(...argv)).toBe(2)
    expect(line.output.stderr.slice(0, message.length)).toBe(message)
    expect(line.output.stderr.split('\n')).toHaveLength(3)
    expect(readdirSync(line.cwd)).toEqual([])
  })

  it('suggests adding -- if npm has consumed the options', async () => {
    const line = commandLine({ env: { npm_config_template: 'true' } })
    expect(await line.run('my-server', 'fastify')).toBe(2)
    expect(line.output.stderr).toContain('npm create jetway@latest my-server -- --template fastify')
  })

  it('accepts the -- that pnpm and Yarn pass on', async () => {
    const line = commandLine()
    expect(await line.run('a', '--', '--template', 'node', ...QUIET)).toBe(0)
    expect(line.output.stdout).toContain('from the template node')
  })
})

describe('questions', () => {
  it('ask for the folder and the template in a terminal', async () => {
    const line = commandLine({ terminal: true })
    const done = line.run(...QUIET)
    await vi.waitFor(() => expect(line.output.stdout).toContain('Folder (my-server): '))
    line.type('shop')
    await vi.waitFor(() =>
      expect(line.output.stdout).toMatch(/ {2}2\. fastify {2}.*\n[^]*Template \(stdio\): /),
    )
    line.type('99')
    await vi.waitFor(() => expect(line.output.stdout).toContain('Enter a name or a number'))
    line.type('3')
    expect(await done).toBe(0)
    expect(line.output.stdout).toContain('Created shop from the template hono')
  })

  it.each([[['--yes', 'a'], true] as const, [['a'], false] as const])(
    'are skipped with --yes or without a terminal: %j',
    async (argv, terminal) => {
      const line = commandLine({ terminal })
      expect(await line.run(...argv, ...QUIET)).toBe(0)
      expect(line.output.stdout).toContain('Created a from the template stdio')
    },
  )

  it('leave no files behind if the user interrupts the command', async () => {
    const line = commandLine({ terminal: true })
    const done = line.run(...QUIET)
    await vi.waitFor(() => expect(line.output.stdout).toContain('Folder'))
    line.interrupt.abort()
    expect(await done).toBe(130)
    expect(readdirSync(line.cwd)).toEqual([])
  })
})

describe('create-jetway while it installs dependencies', () => {
  /** Puts a fake package manager first on the PATH. */
  function withManager(script: string, options: { readonly agent?: string | undefined } = {}): CommandLine {
    const line = commandLine({ env: { npm_config_user_agent: options.agent } })
    const bin = join(line.cwd, 'bin')
    mkdirSync(bin)
    for (const name of ['npm', 'pnpm']) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(bin, name), 0o755)
    }
    line.env['PATH'] = [bin, process.env['PATH']].join(delimiter)
    return line
  }

  it.each([
    [[], undefined, 'npm'],
    [[], 'pnpm/10.1.0 npm/? node/v22', 'pnpm'],
    [[], 'unknown/1', 'npm'],
    [['--pm', 'pnpm'], 'npm/11.0.0 node/v22', 'pnpm'],
  ])('uses the package manager that started the command: %j %j', async (argv, agent, manager) => {
    const line = withManager('echo "$(basename "$0") $*" > installed', { agent })
    expect(await line.run('a', '--no-git', ...argv)).toBe(0)
    expect(readFileSync(join(line.cwd, 'a/installed'), 'utf8')).toBe(`${manager} install\n`)
    expect(line.output.stdout).toContain(`  ${manager} run dev\n`)
    expect(line.output.stdout).not.toContain(`${manager} install\n`)
  })

  it('exits with code 1 and keeps the project if the package manager fails', async () => {
    const line = withManager('exit 3')
    expect(await line.run('a', '--no-git')).toBe(1)
    expect(line.output.stderr).toMatch(/^npm install failed\nThe project is complete/)
    expect(existsSync(join(line.cwd, 'a/package.json'))).toBe(true)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'removes the project if it receives %s',
    async (signal) => {
      const line = withManager('mkdir node_modules && touch package-lock.json && exec sleep 60')
      const child = start(line, 'a')
      child.stdout?.resume()
      const exited = once(child, 'exit')
      await vi.waitFor(() => expect(existsSync(join(line.cwd, 'a/package-lock.json'))).toBe(true))
      child.kill(signal)
      expect(await exited).toEqual([130, null])
      expect(readdirSync(line.cwd)).toEqual(['bin'])
    },
  )

  it.each([
    ['a', false],
    ['made', true],
    ['deep/er/a', false],
  ])('removes the created files if the user interrupts it: %s', async (folder, existed) => {
    const line = withManager('mkdir node_modules && touch package-lock.json && exec sleep 60')
    if (existed) mkdirSync(join(line.cwd, folder))
    const done = line.run(folder)
    await vi.waitFor(() => expect(existsSync(join(line.cwd, folder, 'package-lock.json'))).toBe(true))
    line.interrupt.abort()
    expect(await done).toBe(130)
    expect(readdirSync(line.cwd).toSorted()).toEqual(existed ? ['bin', folder] : ['bin'])
    if (existed) expect(readdirSync(join(line.cwd, folder))).toEqual([])
  })
})
