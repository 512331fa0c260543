import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Step } from './page-steps.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** The only block that is not run. `packAll` produces the same packages without cloning the repository. */
const PACK = /^git clone \S.* jetway\ncd jetway && npm run pack && cd \.\.$/

/** Whether the pages install from npm; see `.github/project.json`. */
export const { published } = JSON.parse(readFileSync(join(root, '.github/project.json'), 'utf8')) as {
  readonly published: boolean
}

interface Registry {
  readonly url: string
  readonly close: () => Promise<void>
}

interface Registries {
  readonly configuredRegistry: () => string
  readonly startRegistry: (options: {
    readonly folder: string
    readonly upstream: string
  }) => Promise<Registry>
}

/** Serves the packed tarballs like the npm registry. */
async function serveTarballs(folder: string): Promise<Registry> {
  const { configuredRegistry, startRegistry } = (await import(
    new URL('../../../../scripts/registry.mjs', import.meta.url).href
  )) as Registries
  return startRegistry({ folder, upstream: configuredRegistry() })
}

const TIMEOUT_MS = 240_000

/** Creates a folder with the results of {@link PACK}. Requires a build. */
export async function packAll(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'first-steps-'))
  const tarballs = join(folder, 'jetway', 'tarballs')
  mkdirSync(tarballs, { recursive: true })
  const pack = ['--filter', './packages/*', '--recursive', 'pack', '--pack-destination', tarballs]
  await promisify(execFile)(process.execPath, [join(root, '.ci', 'pnpm.mjs'), ...pack], { cwd: root })
  return folder
}

/** Removes a folder with all its files. */
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/**
 * Returns the environment of a terminal without this repository's own tools. `node` comes first on its PATH.
 */
function environment(node: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_(?!config_(?:registry|cache|userconfig))|NODE_(?:OPTIONS|ENV|PATH)$|VITEST|JETWAY|CI$)/i.test(
        name,
      ),
  )
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  return {
    ...Object.fromEntries(inherited),
    PATH: [dirname(node), ...path].join(delimiter),
    // This option only saves time.
    npm_config_audit: 'false',
    npm_config_prefer_offline: 'true',
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Servers run in the background, each in its own process group, one at a time. */
const FUNCTIONS = `
set -euo pipefail
set -m
server=
stop() { if [ -n "$server" ]; then kill -- -"$server" || true; wait "$server" || true; fi; }
trap stop EXIT
serve() {
  stop
  # A new port, since the last server may still be closing.
  export PORT="$1"; shift
  "$@" >server.log 2>&1 &
  server=$!
  curl -sS -o server.txt --retry 90 --retry-connrefused --retry-delay 1 "http://127.0.0.1:$PORT/"
}
`

const MARK = '=== end of step'

export interface Ran {
  readonly command: string
  /** The standard output. */
  readonly output: string
}

/**
 * Runs the steps literally, in one shell and an empty folder. Only {@link PACK} and the port 3000 are
 * replaced.
 *
 * @throws Error if a command fails
 */
export async function runSteps(
  steps: readonly Step[],
  packed: string,
  node: string = process.execPath,
): Promise<readonly Ran[]> {
  const folder = mkdtempSync(join(packed, 'reader-'))
  symlinkSync(join(packed, 'jetway'), join(folder, 'jetway'))
  const commands: string[] = []
  const lines: string[] = []
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'save') {
      const saved = join(folder, String(index))
      writeFileSync(saved, step.text)
      lines.push(`cp '${saved}' '${step.file}'`)
      continue
    }
    commands.push(step.command)
    const port = await freePort()
    const command = PACK.test(step.command) ? '' : step.command
    lines.push(
      command
        .replace(/^npx tsx .*$/m, `serve ${port} $&`)
        .replace(/^npx jetway dev .*$/m, `serve ${port} $& --port ${port}`)
        .replaceAll(':3000', ':$PORT'),
      `echo '${MARK}'`,
    )
  }
  const registry = published ? await serveTarballs(join(packed, 'jetway', 'tarballs')) : undefined
  const env = {
    ...environment(node),
    // Hosts store their files in the home folder.
    XDG_CONFIG_HOME: join(folder, 'config'),
    ...(registry !== undefined && { npm_config_registry: registry.url }),
  }
  try {
    const output = await bash([FUNCTIONS, ...lines].join('\n'), folder, env)
    const outputs = output.split(`${MARK}\n`)
    return commands.map((command, index) => ({ command, output: outputs[index] ?? '' }))
  } finally {
    await registry?.close()
  }
}

/** Runs a script in its own process group, so that if the script takes too long, nothing is left running. */
async function bash(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGTERM'), TIMEOUT_MS)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  clearTimeout(timer)
  if (code !== 0) throw new Error(`Exit code ${String(code)}\n${output}\n${errors}`)
  return output
}
