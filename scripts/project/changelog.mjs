/** Joins the packages' changelogs, which Changesets writes, into a single one in the root folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const NOTHING = 'Nothing is released yet. `.changeset` has the changes of the first version.'
const KINDS = ['Major Changes', 'Minor Changes', 'Patch Changes']

/**
 * @param {string} root
 * @returns {string} the joined changelog of all packages
 */
export function readChangelog(root) {
  const folders = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'CHANGELOG.md')),
  )
  const texts = folders.map((name) => [
    name,
    readFileSync(join(root, 'packages', name, 'CHANGELOG.md'), 'utf8'),
  ])
  return joinChangelogs(new Map(texts))
}

/**
 * @param {Map<string, string>} changelogs keyed by the package's folder
 * @returns {string} each change once, with the packages that contain it, newest version first
 */
export function joinChangelogs(changelogs) {
  /** @type {Map<string, Map<string, Map<string, string[]>>>} packages, keyed by version, kind and text */
  const versions = new Map()
  for (const [name, text] of changelogs)
    for (const { version, kind, change } of changesIn(text)) {
      const kinds = versions.get(version) ?? new Map()
      versions.set(version, kinds)
      const changes = kinds.get(kind) ?? new Map()
      kinds.set(kind, changes)
      changes.set(change, [...(changes.get(change) ?? []), name])
    }
  if (versions.size === 0) return `# Changelog\n\n${NOTHING}\n`
  const parts = [...versions]
    .toSorted(([a], [b]) => compareVersions(b, a))
    .map(([version, kinds]) => versionText(version, kinds))
  return `# Changelog\n\n${parts.join('\n\n')}\n`
}

function versionText(version, kinds) {
  const sections = KINDS.filter((kind) => kinds.has(kind)).map((kind) => {
    const lines = [...kinds.get(kind)].map(([change, names]) => `- **${names.join(', ')}**: ${change}`)
    return `### ${kind}\n\n${lines.join('\n')}`
  })
  return [`## ${version}`, ...sections].join('\n\n')
}

/** Returns the changes of one package, without commit hashes and without dependency updates. */
function changesIn(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const version = part.slice(0, part.indexOf('\n')).trim()
      return part
        .split(/^### /m)
        .slice(1)
        .flatMap((section) => {
          const kind = section.slice(0, section.indexOf('\n')).trim()
          return section
            .split(/^- /m)
            .slice(1)
            .map((change) => change.trim().replace(/^[0-9a-f]{7,40}: /, ''))
            .filter((change) => !change.startsWith('Updated dependencies'))
            .map((change) => ({ version, kind, change }))
        })
    })
}

/** Compares versions in the form that Changesets writes: numbers and, in a pre-release, also a word and a number. */
function compareVersions(a, b) {
  const [[left, leftPre], [right, rightPre]] = [a, b].map((version) => version.split('-'))
  const numbers = (text) => text.split('.').map(Number)
  const [l, r] = [numbers(left), numbers(right)]
  const at = l.findIndex((part, index) => part !== r[index])
  if (at !== -1) return l[at] - r[at]
  // A pre-release comes before its release.
  if (leftPre === undefined || rightPre === undefined)
    return Number(rightPre !== undefined) - Number(leftPre !== undefined)
  return leftPre.localeCompare(rightPre, 'en', { numeric: true })
}

/**
 * @param {string} changelog @param {string} version
 * @returns {string} the changes in a version, as the text of its release
 * @throws Error if the changelog does not contain the version
 */
export function notesOf(changelog, version) {
  const part = changelog.split(/^## /m).find((each) => each.startsWith(`${version}\n`))
  if (part === undefined) throw new Error(`CHANGELOG.md has no version ${version}`)
  return `${part.slice(version.length).trim()}\n`
}
