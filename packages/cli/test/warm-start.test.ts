import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

interface Counted {
  readonly conversions: number
  readonly functions: number
  readonly requires: readonly string[]
}

interface Told {
  readonly atStart: Counted
  readonly atEnd: Counted
  readonly tools: number
  readonly answers: readonly unknown[]
}

async function node(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })
  return stdout
}

const NO_CODE = '--disallow-code-generation-from-strings'
const counted = async (flags: readonly string[], schemas: string): Promise<Told> =>
  JSON.parse(
    await node([...flags, '--import', at('fixtures/warm-hooks.mjs'), at('fixtures/first-calls.mjs')], {
      SCHEMAS: schemas,
    }),
  ) as Told

/** Built, as users have it: these are processes of their own. */
const build = (folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> =>
  node([at('../dist/main.js'), 'schemas', 'build', at('fixtures/fifty-tools.mjs'), '--out', folder], env)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(at('.cache-'))
  await build(folder)
})
afterAll(() => rm(folder, { recursive: true }))

describe('a server with fifty tools and a cache', () => {
  it('starts and answers without converting or compiling anything, where code cannot be generated', async () => {
    const { atStart, atEnd, tools } = await counted([NO_CODE], folder)
    expect(tools).toBe(50)
    expect(atStart.conversions).toBe(0)
    // Zod looks once whether it may.
    expect(atStart.functions).toBeLessThanOrEqual(1)
    expect(atStart.requires.filter((name) => name.includes('ajv'))).toEqual([])
    expect(atEnd).toEqual({ ...atStart, functions: atEnd.functions })
    expect(atEnd.functions).toBeLessThanOrEqual(1)
  })

  it('answers what it answers without one, which does all of that', async () => {
    const [warm, cold] = await Promise.all([counted([NO_CODE], folder), counted([], '')])
    expect(warm.answers).toEqual(cold.answers)
    expect(cold.atStart.conversions).toBe(41)
    expect(cold.atStart.functions).toBeGreaterThan(30)
    expect(cold.atStart.requires).toContain('./ajv-library.cjs')
  })

  it('does not start without one there, and the error names the tool and the command', async () => {
    await expect(counted([NO_CODE], '')).rejects.toThrow(
      /inputSchema of tool "tree-0" has to be compiled, but this runtime does not allow code to be generated; run "npx jetway schemas build"/,
    )
  })

  it('has the same cache whatever the machine is like', async () => {
    const other = await mkdtemp(at('.cache-'))
    try {
      await build(other, { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', HOME: '/' })
      const text = await readFile(join(other, 'index.js'), 'utf8')
      expect(text).toBe(await readFile(join(folder, 'index.js'), 'utf8'))
      expect(text).not.toContain(at('..'))
    } finally {
      await rm(other, { recursive: true })
    }
  })
})
