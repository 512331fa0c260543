/** Collects every file that `npm run project` writes, with its current and its wanted text. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOwners, issueConfig, updateBlocks } from './blocks.mjs'
import { readChangelog } from './changelog.mjs'
import { readFacts } from './facts.mjs'
import { installFromNpm, readDependencies } from './install-lines.mjs'
import { updateLicense, updateManifest } from './manifests.mjs'
import { PLACES, updatePlaces } from './places.mjs'

/** The policy files that contain blocks. */
const POLICIES = [
  'SECURITY.md',
  'CONTRIBUTING.md',
  '.github/CODE_OF_CONDUCT.md',
  'docs/versioning.md',
  'docs/roadmap.md',
  'docs/dependency-policy.md',
  'docs/releasing.md',
]

/** The pages that contain installation commands. */
const pagesWithCommands = (root) => [
  'README.md',
  'docs/index.md',
  ...readdirSync(join(root, 'docs', 'guide')).map((name) => `docs/guide/${name}`),
]

/**
 * @param {string} root
 * @returns {{ files: Map<string, { current: string, wanted: string }>, problems: string[] }} files, keyed by
 * path
 */
export function writtenFiles(root) {
  const facts = readFacts(root)
  const files = new Map()
  const problems = []
  const read = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  const change = (file, update) => {
    const entry = files.get(file) ?? { current: read(file), wanted: read(file) }
    files.set(file, entry)
    const updated = update(entry.wanted)
    entry.wanted = updated.text ?? updated
    problems.push(...(updated.problems ?? []))
  }

  for (const name of readdirSync(join(root, 'packages')))
    if (existsSync(join(root, 'packages', name, 'package.json')))
      change(`packages/${name}/package.json`, (text) => updateManifest(text, `packages/${name}`, facts))
  change('LICENSE', (text) => updateLicense(text, facts))
  change('CHANGELOG.md', () => readChangelog(root))
  change('.github/CODEOWNERS', () => codeOwners(facts))
  change('.github/ISSUE_TEMPLATE/config.yml', () => issueConfig(facts))
  for (const file of POLICIES) change(file, (text) => updateBlocks(file, text, facts))
  for (const file of new Set(PLACES.map((place) => place.file))) {
    if (!existsSync(join(root, file))) continue
    const places = PLACES.filter((place) => place.file === file)
    change(file, (text) => updatePlaces(text, places, facts))
  }
  if (facts.published) {
    const dependencies = readDependencies(root)
    for (const file of pagesWithCommands(root)) change(file, (text) => installFromNpm(text, dependencies))
  }
  return { files, problems }
}
