/**
 * `node .ci/pnpm.mjs <arguments>` runs `pnpm <arguments>` with the version that package.json pins. If another
 * version is installed, or none, npm downloads the pinned one.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { argv, execPath, exit } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

const windows = process.platform === 'win32'

function pinnedVersion() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return packageManager.split('+')[0].slice('pnpm@'.length)
}

function installedVersion() {
  try {
    // Run outside the workspace, because inside it, pnpm would switch to the pinned version and report that one.
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
 * Returns the path of a pnpm that npm has downloaded to its cache. npm adds that folder to PATH. `npm exec`
 * does not run pnpm itself, because pnpm would then inherit npm's settings.
 */
function download(version) {
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
    const candidate = JSON.parse(readFileSync(manifest, 'utf8'))
    if (candidate.version === version) return join(folder, '..', 'pnpm', candidate.bin.pnpm ?? candidate.bin)
  }
  throw new Error(`npm did not download pnpm ${version}`)
}

let command

/** Returns the command line of the pinned pnpm: an executable and its first arguments. */
export function pnpm() {
  const version = pinnedVersion()
  command ??= installedVersion() === version ? ['pnpm'] : [execPath, download(version)]
  return command
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const [file, ...first] = pnpm()
  const { status } = spawnSync(file, [...first, ...argv.slice(2)], { stdio: 'inherit', shell: windows })
  exit(status ?? 1)
}
