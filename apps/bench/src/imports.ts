import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './load/load-result.ts'

/** What it costs a new process to import packages. */
export interface ImportCost {
  readonly name: string
  readonly title: string
  /** Files of JavaScript that are loaded. */
  readonly files: number
  /** Processor time, user and system, beyond that of a process which imports nothing; the median of the rounds. */
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

/** Zod, which the official SDK needs and most servers use, is told apart. */
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

/** Imports each in a process of its own, taking turns. */
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

/** ES modules are counted by a loader, which has a thread of its own; what CommonJS requires is in its cache. */
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

/** Runs a program where this package's dependencies are found, and reads the number that it writes. */
async function runChild(program: string): Promise<number> {
  const args = ['--no-warnings', '--input-type=module', '--eval', program]
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  return Number((await promisify(execFile)(process.execPath, args, { cwd })).stdout)
}
