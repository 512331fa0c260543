/**
 * Uploads the tarballs of a release to npm, in the order of their dependencies. The script is in the same
 * folder as `release.json` and the tarballs (see collect.mjs), and uses only Node and npm, because the job
 * that runs it checks out and installs nothing. A version that is already on npm with the same content is
 * skipped, so a failed job can run again.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The first npm version that can publish with a workflow's identity, and the first one that can stage a release. */
const NEEDED_NPM = { direct: '11.5.1', staged: '11.15.0' }

/** @param {string} version @param {string} least */
export function isAtLeast(version, least) {
  const [have, need] = [version, least].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  )
  const at = need.findIndex((part, index) => part !== have[index])
  return at === -1 || have[at] > need[at]
}

/** @param {string} path @returns {string} the digest in npm's format, such as `sha512-…` */
export const integrityOf = (path) =>
  `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`

/**
 * @param {{ version: string, publishing: string }} release @param {string} file @returns {string[]} the
 * arguments for npm
 */
export function uploadArguments({ version, publishing }, file) {
  const command = publishing === 'staged' ? ['stage', 'publish'] : ['publish']
  // npm does not allow a pre-release to become the default version for `npm install`.
  const tag = version.includes('-') ? ['--tag', 'next'] : []
  return [...command, file, '--access', 'public', ...tag]
}

/**
 * @param {string} registry @param {{ name: string, version: string }} entry
 * @returns {Promise<string | undefined>} the digest of the version in the registry; undefined if it is not
 * there
 * @throws Error if the registry is not available
 */
export async function publishedIntegrity(registry, { name, version }) {
  const response = await fetch(`${registry}/${name.replace('/', '%2f')}`, {
    signal: AbortSignal.timeout(30_000),
  })
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${registry} answers ${response.status} for ${name}`)
  const { versions = {} } = await response.json()
  return versions[version]?.dist?.integrity
}

/**
 * @param {any} release the content of `release.json` @param {string} folder the folder with the tarballs
 * @param {string} registry @param {(args: string[]) => number} npm runs npm, and returns its exit code
 * @returns {Promise<string[]>} problems
 */
export async function upload(release, folder, registry, npm) {
  for (const { file, integrity } of release.packages)
    if (integrityOf(join(folder, file)) !== integrity)
      return [`${file} is not the tarball that was tested. Nothing was uploaded`]
  const problems = []
  for (const entry of release.packages) {
    const there = await publishedIntegrity(registry, entry)
    if (there === entry.integrity) {
      console.log(`${entry.name}@${entry.version} is on npm already`)
      continue
    }
    if (there !== undefined) {
      problems.push(`${entry.name}@${entry.version} is on npm with other bytes. Release another version`)
      continue
    }
    const code = npm(uploadArguments(release, join(folder, entry.file)))
    if (code !== 0) problems.push(`npm ended with ${code} for ${entry.name}@${entry.version}`)
  }
  return problems
}

async function main() {
  const folder = dirname(fileURLToPath(import.meta.url))
  const release = JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'))
  const options = { encoding: 'utf8', shell: process.platform === 'win32' }
  const version = spawnSync('npm', ['--version'], options).stdout?.trim() ?? ''
  const least = NEEDED_NPM[release.publishing]
  if (least === undefined || !isAtLeast(version, least)) {
    console.error(
      `npm ${version || '(not found)'} cannot publish this way: it needs ${least}. Use a newer Node`,
    )
    process.exitCode = 1
    return
  }
  const registry = (env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, '')
  const npm = (args) => spawnSync('npm', args, { ...options, stdio: 'inherit' }).status ?? 1
  const problems = await upload(release, folder, registry, npm)
  for (const problem of problems) console.error(`✗ ${problem}`)
  if (problems.length > 0) process.exitCode = 1
  else if (release.publishing === 'staged')
    console.log('Approve each package: npm stage list, npm stage approve <id>')
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) await main()
