/**
 * Checks the built declarations (with `apps/type-tests`) and core's own type tests with every supported version
 * of TypeScript. Then measures how much longer a compiler takes for a server with 200 tools than for a server
 * with one. Requires a build.
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

/**
 * The maximum number of type instantiations, including zod's, that each additional tool may add. This number
 * does not vary between runs.
 */
const MAX_INSTANTIATIONS = 1_000
/**
 * The maximum number of CPU seconds that 199 additional tools may add. It applies only to this repository's
 * compiler, because the others are far slower.
 */
const MAX_SECONDS = 2
const TOOLS = 200

// The shell's `times` prints the compiler's CPU time, which does not depend on the machine's load.
const SHELL = ['sh', '-c', '"$@"; code=$?; times; exit $code', 'sh']

function compile(compiler, ...args) {
  const [file, ...rest] = [...SHELL, execPath, compiler, '--pretty', 'false', ...args]
  const { status, stdout, stderr, error } = spawnSync(file, rest, { cwd: root, encoding: 'utf8' })
  const output = `${error?.message ?? ''}${stdout}${stderr}`
  if (status !== 0) {
    console.error(output)
    process.exitCode = 1
  }
  return output
}

/** Returns the source of a server with this number of tools. */
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
  const output = compile(compiler, '--project', folder, '--extendedDiagnostics')
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s \d+m[\d.]+s\s*$(?![^]*^\d+m)/m.exec(output) ?? []
  return {
    seconds: Number(minutes) * 60 + Number(seconds),
    instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]),
  }
}

function compareCosts(compiler, version) {
  const folder = join(project, 'node_modules', '.cache', 'many-tools')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const isRepositoryCompiler = compiler === compilers.at(-1)
  const one = measure(compiler, folder, 1)
  const many = measure(compiler, folder, TOOLS)
  const seconds = many.seconds - one.seconds
  const each = Math.round((many.instantiations - one.instantiations) / (TOOLS - 1))
  console.log(
    `TypeScript ${version}: ${TOOLS} tools take ${seconds.toFixed(2)} s more than one, and ${each} instantiations each`,
  )
  // If the output could not be parsed, the value is NaN, and the check also fails.
  if (each < MAX_INSTANTIATIONS && (seconds < MAX_SECONDS || !isRepositoryCompiler)) return
  console.error(`The limits are ${MAX_SECONDS} s and ${MAX_INSTANTIATIONS} instantiations each`)
  process.exitCode = 1
}

const versionOf = (compiler) => /Version (\S+)/.exec(compile(compiler, '--version'))?.[1]

// The installation guide promises support for these versions, with the options in `tsconfig.oldest.json`.
for (const [name, ...flags] of [['typescript5.5', '--skipLibCheck'], ['typescript5.7']]) {
  const compiler = join(project, 'node_modules', name, 'bin', 'tsc')
  compile(compiler, '--project', join(project, 'tsconfig.oldest.json'), ...flags)
  console.log(`TypeScript ${versionOf(compiler)}: ${['the types of the packages', ...flags].join(' with ')}`)
}
for (const compiler of compilers) {
  const version = versionOf(compiler)
  compile(compiler, '--project', join(project, 'tsconfig.built.json'))
  compile(compiler, '--project', join(project, 'tsconfig.core.json'))
  compareCosts(compiler, version)
}
