/**
 * Compares `scripts/actions.json` with the tags in the actions' repositories. A tag that has moved is an
 * error, and newer versions are printed. `--write` updates `scripts/actions.json` and the workflows to the
 * newest versions; read the changes in an action before you commit that. Requires access to GitHub. `--pin`
 * requires nothing: it writes the versions from `scripts/actions.json` into all workflows.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param {string} listed the output of `git ls-remote --tags`
 * @returns {Map<string, string>} commits, keyed by version, such as `v6.0.2`
 */
export function tagsOf(listed) {
  const tags = new Map()
  // The commit of an annotated tag is in the line that ends with ^{}, which follows the line for the tag itself.
  for (const [, commit, version] of listed.matchAll(
    /^([0-9a-f]{40})\trefs\/tags\/(v\d+\.\d+\.\d+)(?:\^\{\})?$/gm,
  ))
    tags.set(version, commit)
  return tags
}

const newest = (versions) => versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)

/**
 * @param {{ version: string, digest: string }} known @param {Map<string, string>} tags
 * @returns {{ problem?: string, newer?: string }}
 */
export function compareTags({ version, digest }, tags) {
  const commit = tags.get(version)
  if (commit === undefined) return { problem: `${version} does not exist` }
  if (commit !== digest) return { problem: `${version} is ${commit} now, not ${digest}` }
  const last = newest([...tags.keys()])
  return last === version ? {} : { newer: last }
}

/**
 * @param {string} text a workflow @param {Record<string, { version: string, digest: string }>} actions
 * @returns {string} the workflow with the versions in `actions`
 */
export const withActions = (text, actions) =>
  text.replaceAll(/(uses: )([\w./-]+)@[0-9a-f]{40} # v\S+/g, (line, start, action) =>
    action in actions ? `${start}${action}@${actions[action].digest} # ${actions[action].version}` : line,
  )

/** Returns the workflow files of this repository and of the `create-jetway` templates. */
function workflows() {
  const templates = join(root, 'packages', 'create-jetway', 'templates')
  const names = existsSync(templates) ? readdirSync(templates) : []
  return [root, ...names.map((name) => join(templates, name))]
    .map((project) => join(project, '.github', 'workflows'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
}

function pin(actions) {
  for (const file of workflows()) writeFileSync(file, withActions(readFileSync(file, 'utf8'), actions))
}

function main() {
  const file = join(root, 'scripts', 'actions.json')
  const known = JSON.parse(readFileSync(file, 'utf8'))
  if (argv.includes('--pin')) return pin(known.actions)
  let failed = false
  for (const [action, entry] of Object.entries(known.actions)) {
    const address = `https://github.com/${action}`
    const tags = tagsOf(execFileSync('git', ['ls-remote', '--tags', address], { encoding: 'utf8' }))
    const { problem, newer } = compareTags(entry, tags)
    if (problem !== undefined) console.error(`✗ ${action}: ${problem}`)
    failed ||= problem !== undefined
    if (newer === undefined) continue
    console.log(
      `${action}: ${newer} is newer than ${entry.version}. ${address}/compare/${entry.version}...${newer}`,
    )
    Object.assign(entry, { version: newer, digest: tags.get(newer) })
  }
  if (failed) process.exitCode = 1
  if (failed || !argv.includes('--write')) return
  known.read = new Date().toISOString().slice(0, 10)
  known.verified = 'Each digest is the commit of that tag, by git ls-remote.'
  writeFileSync(file, `${JSON.stringify(known, null, 2)}\n`)
  pin(known.actions)
  console.log('Compare the inputs in scripts/actions.json with the action.yml of each new version')
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
