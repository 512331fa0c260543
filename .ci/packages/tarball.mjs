/** What a tarball holds and what it weighs, held to what users should receive. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

const KB = 1000

/**
 * In kilobytes: the tarball, and what it unpacks to. Room for some growth is left, so that who goes beyond it has added
 * something heavy, and says here that it is worth it.
 */
const BUDGETS = {
  // A second build of it is for bundlers: docs/design/decisions/edge-weight.md
  core: { packed: 400, unpacked: 1600 },
  // Nine entries, of which a host loads the two or three that it needs: none loads another one's weight.
  client: { packed: 150, unpacked: 520 },
  testing: { packed: 40, unpacked: 160 },
}
const OTHERS = { packed: 60, unpacked: 240 }

const NEEDED = ['LICENSE', 'README.md', 'package.json']
const ALLOWED = [...NEEDED, 'CHANGELOG.md', 'dist/THIRD-PARTY-NOTICES.txt']
const CODE = /^dist\/.*\.(?:c?js|d\.c?ts)$/
/** What is of use to this repository alone. */
const INNER = /(?:^|[./-])(?:test|tests|fixtures|spec)(?:[./-]|$)|jetway:source|workspace:/

/**
 * @param {string} tarball @param {string} folder where it is unpacked
 * @returns {string[]} what is wrong
 */
export function judgeTarball(tarball, folder, name) {
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
  return [...judgeFiles(files), ...judgeManifest(folder), ...judgeWeight(tarball, folder, files, name)]
}

function judgeFiles(files) {
  const missing = NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`)
  const other = files
    .filter((file) => !ALLOWED.includes(file) && (!CODE.test(file) || INNER.test(file)))
    .map((file) => `${file} is nothing for users`)
  return [...missing, ...other]
}

function judgeManifest(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { exports, dependencies, peerDependencies, bin, engines, license, type } = manifest
  const inner = INNER.test(JSON.stringify({ exports, dependencies, peerDependencies, bin }))
  const wrong = inner ? ['package.json tells of this repository'] : []
  if (engines?.node === undefined) wrong.push('package.json does not say which Node it needs')
  if (license !== 'MIT' || type !== 'module') wrong.push('package.json is not that of an ES module under MIT')
  return wrong
}

function judgeWeight(tarball, folder, files, name) {
  const budget = BUDGETS[name] ?? OTHERS
  const scripts = files.filter((file) => file.endsWith('js')).map((file) => readFileSync(join(folder, file)))
  const weight = {
    packed: statSync(tarball).size / KB,
    unpacked: files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / KB,
  }
  const gzipped = scripts.reduce((sum, code) => sum + gzipSync(code).length, 0) / KB
  const told = Object.keys(budget).map((kind) => `${weight[kind].toFixed(0)} of ${budget[kind]} KB ${kind}`)
  console.log(`@jetway/${name}: ${told.join(', ')}, its JavaScript ${gzipped.toFixed(0)} KB gzipped`)
  return Object.keys(budget)
    .filter((kind) => weight[kind] > budget[kind])
    .map(
      (kind) =>
        `${weight[kind].toFixed(0)} KB ${kind} are more than the ${budget[kind]} of .ci/packages/tarball.mjs`,
    )
}
