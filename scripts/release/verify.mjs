/**
 * Checks what npm serves after a release: each version must have the content that was tested, and a
 * provenance statement that names this repository, its release workflow and the same content. Then a new
 * project installs all packages, and npm checks the signatures. Like upload.mjs, the script is in the same
 * folder as `release.json`, and uses only Node and npm.
 *
 * The user that npm names for a version is irrelevant: for a staged version, it is the person who has
 * approved it.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { argv, env } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PROVENANCE = 'https://slsa.dev/provenance/v1'

async function getJson(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) })
  if (!response.ok) throw new Error(`${url} answers ${response.status}`)
  return response.json()
}

/** @param {any} attestations @returns {any} the provenance statement; undefined if there is none */
export function provenanceOf({ attestations = [] }) {
  const found = attestations.find(({ predicateType }) => predicateType === PROVENANCE)
  const payload = found?.bundle?.dsseEnvelope?.payload
  return payload === undefined ? undefined : JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
}

/**
 * @param {any} statement @param {{ repository: string, workflow: string }} release @param {string} integrity
 * @returns {string[]} what is wrong in the statement
 */
export function checkProvenance(statement, { repository, workflow }, integrity) {
  const built = statement?.predicate?.buildDefinition?.externalParameters?.workflow
  const digest = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  const problems = []
  if (built?.repository !== repository)
    problems.push(`it was built from ${built?.repository}, not ${repository}`)
  if (built?.path !== workflow) problems.push(`it was built by ${built?.path}, not ${workflow}`)
  if (!(statement?.subject ?? []).some((subject) => subject.digest?.sha512 === digest))
    problems.push('its provenance is about other bytes')
  return problems
}

/**
 * @param {{ name: string, version: string, integrity: string }} entry @param {any} release @param {string} registry
 * @returns {Promise<string[]>} problems
 * @throws Error if the registry does not have the version yet
 */
export async function verifyPackage(entry, release, registry) {
  const { versions = {} } = await getJson(`${registry}/${entry.name.replace('/', '%2f')}`)
  const dist = versions[entry.version]?.dist
  if (dist === undefined) throw new Error(`${entry.name}@${entry.version} is not on npm`)
  if (dist.integrity !== entry.integrity) return ['npm serves other bytes than those that were tested']
  if (dist.attestations?.provenance?.predicateType !== PROVENANCE) return ['npm has no provenance of it']
  const statement = provenanceOf(await getJson(dist.attestations.url))
  return checkProvenance(statement, release, entry.integrity)
}

/**
 * Retries until the registry has all versions, which may take some time after an approval.
 *
 * @param {any} release @param {string} registry @param {{ tries?: number, waitMs?: number }} [limits]
 * default: ten minutes
 * @returns {Promise<string[]>} problems
 */
export async function verify(release, registry, { tries = 40, waitMs = 15_000 } = {}) {
  const problems = []
  for (const entry of release.packages) {
    for (let left = tries; ; left -= 1) {
      try {
        const found = await verifyPackage(entry, release, registry)
        problems.push(...found.map((problem) => `${entry.name}@${entry.version}: ${problem}`))
        break
      } catch (error) {
        if (left <= 1) {
          problems.push(String(error instanceof Error ? error.message : error))
          break
        }
        await delay(waitMs)
      }
    }
  }
  return problems
}

/** Installs all packages in a new project, where npm verifies all signatures. */
function auditSignatures({ packages }) {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-verify-'))
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const npm = (...args) =>
    spawnSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' }).status ===
    0
  try {
    if (!npm('install', '--ignore-scripts', '--no-fund')) return ['a new project cannot install the packages']
    return npm('audit', 'signatures') ? [] : ['npm audit signatures fails']
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main() {
  const folder = dirname(fileURLToPath(import.meta.url))
  const release = JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'))
  const registry = (env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/$/, '')
  const problems = await verify(release, registry)
  if (problems.length === 0) problems.push(...auditSignatures(release))
  for (const problem of problems) console.error(`✗ ${problem}`)
  console.log(`${release.packages.length} packages verified, ${problems.length} problems`)
  if (problems.length > 0) process.exitCode = 1
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) await main()
