import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../src/index.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** Beside the package, where a server finds what it imports. */
let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(at('.project-'))
})
afterEach(() => rm(cwd, { recursive: true }))

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function jetway(...args: readonly string[]): Promise<Ran> {
  const out: string[] = []
  const err: string[] = []
  const code = await run(args, {
    cwd,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const server = (schema: string, more = ''): string => `
import { McpServer } from '@jetway/core'
import { z } from 'zod'
${more}
export const server = new McpServer({ name: 'test', version: '1.0.0' }${more === '' ? '' : ', { schemas }'})
server.addTool({ name: 'first-tool', inputSchema: z.object({ a: ${schema} }), handler: () => '' })
server.addTool({ name: 'second.tool', outputSchema: z.object({ b: z.string() }), handler: () => ({ b: '' }) })
`

let files = 0
/** Under a name of its own each time, since a process loads a module once. */
async function write(text: string): Promise<string> {
  const name = `server-${files++}.mjs`
  await writeFile(join(cwd, name), text)
  return `./${name}`
}

describe('jetway schemas build', () => {
  it('writes the cache, says so, and says so once', async () => {
    const file = await write(server('z.string()'))
    expect(await jetway('schemas', 'build', file, '--out', './made')).toEqual({
      code: 0,
      out: `Wrote ${join('made', 'index.js')}: 2 schemas`,
      err: '',
    })
    expect((await readdir(join(cwd, 'made'))).toSorted()).toEqual(['index.d.ts', 'index.js'])
    expect(await jetway('schemas', 'build', file, '--out', './made')).toMatchObject({
      code: 0,
      out: `${join('made', 'index.js')} is up to date: 2 schemas`,
    })
  })

  it('builds for a server that imports the cache before there is one, and after a merge has spoilt it', async () => {
    const file = await write(server('z.string()', `import schemas from './schemas/index.js'`))
    expect(await jetway('schemas', 'build', file)).toMatchObject({ code: 0 })
    const built = await readFile(join(cwd, 'schemas/index.js'), 'utf8')
    await writeFile(join(cwd, 'schemas/index.js'), `<<<<<<< HEAD\n${built}`)
    const again = await write(server('z.string()', `import schemas from './schemas/index.js?again'`))
    expect(await jetway('schemas', 'build', again)).toMatchObject({ code: 0 })
    const mended = await readFile(join(cwd, 'schemas/index.js'), 'utf8')
    expect(mended.split('\n').slice(2)).toEqual(built.split('\n').slice(2))
  })

  it('leaves nothing where the server cannot be loaded', async () => {
    const file = await write('throw new Error("The database is away")')
    const { code, err } = await jetway('schemas', 'build', file)
    expect(code).toBe(1)
    expect(err).toMatch(/^\.\/server-\d+\.mjs cannot be loaded:\n\nError: The database is away\n/)
    expect(await readdir(cwd).then((names) => names.includes('schemas'))).toBe(true)
    expect(await readdir(join(cwd, 'schemas'))).toEqual([])
  })

  it.each([
    ['export const a = 1', [], /exports no McpServer\. Export the server itself/],
    ['export const create = () => {}', [], /exports no McpServer/],
    [
      `${server('z.string()')}\nexport const other = new McpServer({ name: 'o', version: '1' })`,
      [],
      /exports several servers; say which with --export\. It exports the servers (?:other, server|server, other)\./,
    ],
    [
      server('z.string()'),
      ['--export', 'main'],
      /the export "main" is not there\. It exports the servers server\./,
    ],
    [
      server('z.string()').replace('server =', 'a = 1, server ='),
      ['--export', 'a'],
      /the export "a" is no McpServer/,
    ],
  ])('says which export it wants: %#', async (text, more, expected) => {
    const { code, err } = await jetway('schemas', 'build', await write(text), ...more)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(expected) as string })
  })

  it('takes the default export before others, and the one that is asked for before that', async () => {
    const text = `${server('z.string()')}\nexport default new McpServer({ name: 'o', version: '1' })`
    expect((await jetway('schemas', 'build', await write(text))).out).toContain('0 schemas')
    expect((await jetway('schemas', 'build', await write(text), '--export', 'server')).out).toContain(
      '2 schemas',
    )
    expect(await jetway('schemas', 'check')).toMatchObject({ code: 0 })
  })

  it('loads TypeScript, as the command itself', async () => {
    await mkdir(join(cwd, 'src'))
    await writeFile(join(cwd, 'src/server.ts'), server('z.string() as z.ZodType<string>'))
    const command = [at('../dist/main.js'), 'schemas', 'build', 'src/server.ts']
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd })
    expect(stdout).toBe(`Wrote ${join('schemas', 'index.js')}: 2 schemas\n`)
    expect(await readFile(join(cwd, 'schemas/index.js'), 'utf8')).toContain(
      '// Of the server {"file":"../src/server.ts"}\n',
    )
  })
})

describe('jetway schemas check', () => {
  it('is content with what was just built, and knows the server from it', async () => {
    await jetway('schemas', 'build', await write(server('z.string()')))
    expect(await jetway('schemas', 'check')).toEqual({
      code: 0,
      out: `${join('schemas', 'index.js')} is up to date: 2 schemas`,
      err: '',
    })
  })

  it('names the tools that have changed, come and gone, and exits with 1', async () => {
    await jetway('schemas', 'build', await write(server('z.string()')))
    const changed = await write(server('z.number()').replace('second.tool', 'third.tool'))
    const { code, out, err } = await jetway('schemas', 'check', changed)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')).toEqual([
      `${join('schemas', 'index.js')} is not up to date:`,
      '  stale       inputSchema of tool "first-tool": the schema has changed',
      '  missing     outputSchema of tool "third.tool": the cache has no entry for it',
      '  superfluous tool:second.tool:outputSchema: the server has no such schema',
      `Run "npx jetway schemas build ${changed} --out schemas".`,
    ])
  })

  it('notices a cache that was tampered with, and one that is not there', async () => {
    expect(await jetway('schemas', 'check')).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no schema cache at') as string,
    })
    await jetway('schemas', 'build', await write(server('z.string()')))
    const path = join(cwd, 'schemas/index.js')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"string"', '"number"'))
    expect(await jetway('schemas', 'check')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not as it was written') as string,
    })
  })
})

describe('the command line', () => {
  it.each([
    [['--help'], 0, /^jetway: the command line of Jetway\n\nUsage\n/],
    [['schemas', '--help'], 0, /^jetway schemas: .*[\s\S]*--export <name>/],
    [['schemas', 'build', '-h'], 0, /^jetway schemas:/],
    [['--version'], 0, /^\d+\.\d+\.\d+$/],
    [[], 2, /^jetway: /],
  ])('%j is answered', async (args, code, expected) => {
    expect(await jetway(...args)).toEqual({ code, out: expect.stringMatching(expected) as string, err: '' })
  })

  it.each([
    [['serve'], /^There is no command "serve"\./],
    [['schemas'], /^jetway schemas|^"jetway schemas" needs a command: build or check\./],
    [['schemas', 'clean'], /^There is no command "schemas clean", only/],
    [['schemas', 'build'], /needs the file of the server/],
    [['schemas', 'build', 'a.ts', 'b.ts'], /^One server at a time: what is "b\.ts"\?/],
    [['schemas', 'build', '--force'], /Unknown option '--force'/],
  ])('%j is not understood, and exits with 2', async (args, expected) => {
    const { code, out, err } = await jetway(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(expected)
  })

  it('says where a file is missing', async () => {
    expect(await jetway('schemas', 'build', './none.ts')).toMatchObject({
      code: 1,
      err: `There is no file ${join(cwd, 'none.ts')}.`,
    })
  })
})
