/**
 * Holds the types to every TypeScript that is supported: what is published (the built declarations) by
 * `apps/type-tests`, and core's own type tests. Then measures what two hundred tools cost a compiler over one.
 * Needs a build.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { root } from './pnpm.mjs'

const project = join(root, 'apps', 'type-tests')
const compilers = [
  join(project, 'node_modules', 'typescript5', 'bin', 'tsc'),
  join(project, 'node_modules', 'typescript6', 'bin', 'tsc'),
  join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
]

/** What each of two hundred tools may cost over one in types made, zod's own included. The count is always the same. */
const MAX_INSTANTIATIONS = 1_000
/** What all of them may cost the compiler of this repository on a processor. The others are told, being slower by far. */
const MAX_SECONDS = 2
const TOOLS = 200

// A shell tells what its children have cost the processor, which does not depend on what else the machine does.
const SHELL = ['sh', '-c', '"$@"; code=$?; times; exit $code', 'sh']

function compile(compiler, ...args) {
  const [file, ...rest] = [...SHELL, execPath, compiler, '--pretty', 'false', ...args]
  const { status, stdout, stderr, error } = spawnSync(file, rest, { cwd: root, encoding: 'utf8' })
  const said = `${error?.message ?? ''}${stdout}${stderr}`
  if (status !== 0) {
    console.error(said)
    process.exitCode = 1
  }
  return said
}

/** A server of so many tools, each with schemas and a handler of its own. */
function program(tools) {
  const tool = (i) => `
server.addTool({
  name: 'tool_${i}',
  inputSchema: z.object({ city${i}: z.string().min(1), days: z.int().max(7).default(3), unit: z.enum(['C', 'F']).optional() }),
  outputSchema: z.object({ high${i}: z.number(), days: z.array(z.object({ date: z.string(), low: z.number() })) }),
  async handler({ city${i}, days }, ctx) {
    await ctx.progress(1, days)
    return { high${i}: city${i}.length, days: [{ date: 'x', low: days }] }
  },
})`
  return `import { McpServer } from '@jetway/core'
import { z } from 'zod'
const server = new McpServer({ name: 'many', version: '1' })
${Array.from({ length: tools }, (_, i) => tool(i)).join('\n')}
`
}

function measure(compiler, folder, tools) {
  writeFileSync(join(folder, 'server.ts'), program(tools))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.built.json', include: [], files: ['server.ts'] }),
  )
  const said = compile(compiler, '--project', folder, '--extendedDiagnostics')
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s \d+m[\d.]+s\s*$(?![^]*^\d+m)/m.exec(said) ?? []
  return {
    seconds: Number(minutes) * 60 + Number(seconds),
    instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(said)?.[1]),
  }
}

function compareCosts(compiler, version) {
  const folder = join(project, 'node_modules', '.cache', 'many-tools')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const own = compiler === compilers.at(-1)
  const one = measure(compiler, folder, 1)
  const many = measure(compiler, folder, TOOLS)
  const seconds = many.seconds - one.seconds
  const each = Math.round((many.instantiations - one.instantiations) / (TOOLS - 1))
  console.log(
    `TypeScript ${version}: ${TOOLS} tools cost ${seconds.toFixed(2)} s over 1, ${each} instantiations each`,
  )
  // Written so that a number which could not be read fails as well.
  if (each < MAX_INSTANTIATIONS && (seconds < MAX_SECONDS || !own)) return
  console.error(`At most ${MAX_INSTANTIATIONS} instantiations each and ${MAX_SECONDS} s are allowed`)
  process.exitCode = 1
}

for (const compiler of compilers) {
  const version = /Version (\S+)/.exec(compile(compiler, '--version'))?.[1]
  compile(compiler, '--project', join(project, 'tsconfig.built.json'))
  compile(compiler, '--project', join(project, 'tsconfig.core.json'))
  compareCosts(compiler, version)
}
