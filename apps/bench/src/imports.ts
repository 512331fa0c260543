import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './load/load-result.ts'

/** The cost of importing packages in a new process. */
export interface ImportCost {
  readonly name: string
  readonly title: string
  /** The number of loaded JavaScript files. */
  readonly files: number
  /** The median processor time (user and system), minus that of a process without imports. */
  readonly cpuMs: number
}

interface Imported {
  readonly name: string
  readonly title: string
  readonly packages: readonly string[]
}

const NOTHING = { name: 'nothing', title: 'nothing', packages: [] }

export const JETWAY = 'jetway'
export const OFFICIAL = 'sdk'

/** The measured imports. Zod has its own row, because the official SDK needs it, and most servers use it. */
const IMPORTED: readonly Imported[] = [
  { name: JETWAY, title: 'Jetway: core and stdio', packages: ['@jetway/core', '@jetway/stdio'] },
  { name: 'zod', title: 'zod', packages: ['zod'] },
  {
    name: 'jetway-zod',
    title: 'Jetway: core and stdio, and zod',
    packages: ['@jetway/core', '@jetway/stdio', 'zod'],
  },
  {
    name: OFFICIAL,
    title: 'official SDK v2: server and its stdio, which import zod',
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
  },
]

/** Imports each package in its own process, one after another. */
export async function measureImports(rounds: number): Promise<ImportCost[]> {
  const all = [NOTHING, ...IMPORTED]
  const times = new Map<string, number[]>(all.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { name, packages } of all) times.get(name)?.push(await runChild(cpuProgram(packages)))
  }
  const floor = median(times.get(NOTHING.name) ?? [])
  const costs: ImportCost[] = []
  for (const { name, title, packages } of IMPORTED) {
    const cpuMs = (median(times.get(name) ?? []) - floor) / 1000
    costs.push({ name, title, files: await runChild(filesProgram(packages)), cpuMs })
  }
  return costs
}

const importing = (packages: readonly string[]): string =>
  packages.map((name) => `await import(${JSON.stringify(name)})`).join('\n')

const cpuProgram = (packages: readonly string[]): string => `
${importing(packages)}
const { user, system } = process.cpuUsage()
process.stdout.write(String(user + system))
`

/** A loader in its own thread counts ES modules. CommonJS modules are counted in the `require` cache. */
const filesProgram = (packages: readonly string[]): string => `
import { createRequire, register } from 'node:module'
const shared = new Int32Array(new SharedArrayBuffer(4))
const loader = \`
let counted
export function initialize(shared) { counted = shared }
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (loaded.format === 'module') Atomics.add(counted, 0, 1)
  return loaded
}\`
register('data:text/javascript,' + encodeURIComponent(loader), { data: shared })
${importing(packages)}
const required = Object.keys(createRequire(import.meta.url).cache).length
process.stdout.write(String(Atomics.load(shared, 0) + required))
`

/** Runs a program with access to this package's dependencies, and returns the number that it prints. */
async function runChild(program: string): Promise<number> {
  const args = ['--no-warnings', '--input-type=module', '--eval', program]
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  return Number((await promisify(execFile)(process.execPath, args, { cwd })).stdout)
}
