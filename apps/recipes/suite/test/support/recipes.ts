import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runtime } from '@jetway-tools/runtimes'

/** A recipe, with the optional parts of the transport that it supports. */
export interface Recipe {
  readonly name: string
  readonly folder: string
  /** The dependency whose version the guide shows. */
  readonly host: string
  readonly runtime: 'Node' | 'Bun'
  /** Whether clients of revision 2025-11-25 have a session. */
  readonly sessions: boolean
  /** Whether notifications arrive during a call. */
  readonly streams: boolean
  /** Whether the host reports a client's disconnect, so that the call's signal aborts. Lambda does not. */
  readonly aborts: boolean
  /** Whether the recipe closes its server on SIGTERM. */
  readonly closes?: true
  /** Whether the recipe needs a fixed port, because it does not accept port 0 and does not print its port. */
  readonly needsPort?: true
  /** A command to run in the recipe's folder before the recipe starts. */
  readonly build?: readonly string[]
  readonly start: readonly string[]
}

const require = createRequire(import.meta.url)
const tsx = ['--conditions=jetway:source', '--import', pathToFileURL(require.resolve('tsx')).href]
const lambdaHost = fileURLToPath(new URL('lambda-host.ts', import.meta.url))
const node = (...args: readonly string[]): string[] => [process.execPath, ...tsx, ...args]
const lambda = (module: string): string[] => node(lambdaHost, new URL(module, folderOf('lambda')).href)
const next = (...args: readonly string[]): string[] => [
  process.execPath,
  'node_modules/next/dist/bin/next',
  ...args,
]

const everything = { runtime: 'Node', sessions: true, streams: true, aborts: true } as const

export const RECIPES: readonly Recipe[] = [
  {
    ...everything,
    name: 'Next.js',
    folder: 'nextjs',
    host: 'next',
    sessions: false,
    build: next('build'),
    start: next('start', '--hostname', '127.0.0.1', '--port', '0'),
  },
  {
    ...everything,
    name: 'NestJS on Express',
    folder: 'nestjs',
    host: '@nestjs/core',
    closes: true,
    start: node('main-express.ts'),
  },
  {
    ...everything,
    name: 'NestJS on Fastify',
    folder: 'nestjs',
    host: '@nestjs/core',
    closes: true,
    start: node('main-fastify.ts'),
  },
  { ...everything, name: 'h3', folder: 'h3', host: 'h3', start: node('main.ts') },
  {
    ...everything,
    name: 'Nitro',
    folder: 'nitro',
    host: 'nitro',
    build: [process.execPath, 'node_modules/nitro/dist/cli/index.mjs', 'build'],
    start: [process.execPath, '.output/server/index.mjs'],
    needsPort: true,
  },
  {
    ...everything,
    name: 'Elysia',
    folder: 'elysia',
    host: 'elysia',
    runtime: 'Bun',
    start: [runtime('bun'), '--conditions=jetway:source', 'main.ts'],
  },
  {
    ...everything,
    name: 'Lambda, streaming',
    folder: 'lambda',
    host: 'hono',
    sessions: false,
    aborts: false,
    start: lambda('streaming.ts'),
  },
  {
    ...everything,
    name: 'Lambda, buffered',
    folder: 'lambda',
    host: 'hono',
    sessions: false,
    streams: false,
    aborts: false,
    start: lambda('buffered.ts'),
  },
]

/** Returns the URL of a recipe's folder, with a trailing slash. */
export function folderOf(name: string): URL {
  return new URL(`../../../${name}/`, import.meta.url)
}

/** Returns the table for the guide. */
export function tableOf(recipes: readonly Recipe[]): string {
  const rows = recipes.map((recipe) => [
    recipe.name,
    versionOf(recipe),
    recipe.runtime,
    recipe.sessions ? 'with a session' : 'without a session',
    'yes',
    recipe.streams ? 'yes' : 'no',
    recipe.aborts ? 'yes' : 'no',
  ])
  const head = ['host', 'version', 'runtime', '2025-11-25', '2026-07-28', 'streams', 'aborts on disconnect']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function versionOf({ folder, host }: Recipe): string {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', folderOf(folder)), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const [major = ''] = (dependencies[host] ?? '').replace(/^\D+/, '').split('.')
  return `${host} ${major}`
}
