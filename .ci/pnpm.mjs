/**
 * Runs the pnpm that package.json pins, on a machine that may have only npm.
 * `node .ci/pnpm.mjs <arguments>` is `pnpm <arguments>`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { argv, execPath, exit } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const windows = process.platform === 'win32'

function pinned() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return packageManager.split('+')[0].slice('pnpm@'.length)
}

function installed() {
  try {
    // Outside the workspace, so that pnpm reports itself and does not switch to the pinned version.
    return execFileSync('pnpm', ['--version'], {
      cwd: join(root, '..'),
      encoding: 'utf8',
      stdio: 'pipe',
      shell: windows,
    }).trim()
  } catch {
    return undefined
  }
}

/**
 * npm fetches the package into its own cache and says where through PATH. Started from that path, pnpm does not
 * inherit npm's settings, as it would if npm ran it.
 */
function fetched(version) {
  const path = execFileSync(
    'npm',
    [
      'exec',
      '--yes',
      '--loglevel=error',
      `--package=pnpm@${version}`,
      '--',
      'node',
      '-p',
      'process.env.PATH ?? process.env.Path',
    ],
    { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell: windows },
  )
  for (const folder of path.trim().split(delimiter)) {
    const manifest = join(folder, '..', 'pnpm', 'package.json')
    if (!existsSync(manifest)) continue
    const found = JSON.parse(readFileSync(manifest, 'utf8'))
    if (found.version === version) return join(folder, '..', 'pnpm', found.bin.pnpm ?? found.bin)
  }
  throw new Error(`npm did not provide pnpm ${version}`)
}

let command

/** The command that starts the pinned pnpm: an executable and its first arguments. */
export function pnpm() {
  const version = pinned()
  command ??= installed() === version ? ['pnpm'] : [execPath, fetched(version)]
  return command
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const [file, ...first] = pnpm()
  const { status } = spawnSync(file, [...first, ...argv.slice(2)], { stdio: 'inherit', shell: windows })
  exit(status ?? 1)
}
