/**
 * Prints what the owner must do once, before and during the first release: the names on npm, each package's
 * trust in the release workflow, the environments and the labels. It runs none of these commands.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readFacts } from '../project/facts.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Names to reserve on npm, because people may guess them. */
const RESERVED = ['create-jetway', 'jetway-cli']

/**
 * @param {readonly string[]} names the packages @param {Record<string, any>} facts
 * @param {readonly { name: string, color: string, description: string }[]} labels
 * @returns {string} the commands, with comments
 */
export function firstSteps(names, { repository, publishing }, labels) {
  const place = repository?.replace('https://github.com/', '') ?? '<owner>/<name>'
  const all = [...names, ...RESERVED.filter((name) => !names.includes(name))]
  const scopes = new Set(all.flatMap((name) => /^@[^/]+/.exec(name) ?? []))
  const right = publishing === 'direct' ? '--allow-publish' : '--allow-stage-publish'
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  return [
    '# 1. The names. npm needs an organisation for each scope: https://www.npmjs.com/org/create',
    ...[...scopes].map((scope) => `#    ${scope}`),
    'npm login',
    '# A name begins with a staged version, which makes a public placeholder 0.0.0-stage. This tests the packages,',
    '# keeps their tarballs, and stages them in the order of their dependencies.',
    'JETWAY_RELEASE=release bash .ci/run && node scripts/release/collect.mjs release && node release/upload.mjs',
    '# Names without a package yet need an empty one: a folder with a package.json and a README.',
    ...all.filter((name) => !names.includes(name)).map((name) => `#    ${name}`),
    'npm stage list',
    '# npm approves one at a time, and asks for the second factor each time.',
    'npm stage approve <id>',
    '',
    '# 2. The trust of each package in this repository. npm asks once, and offers to skip the question for five minutes.',
    ...names.map(
      (name) =>
        `npm trust github ${name} --repo ${place} --file release.yml --env npm ${right} --yes && sleep 2`,
    ),
    '',
    '# 3. On the page of each package at npmjs.com: Settings, "Require two-factor authentication and disallow tokens".',
    '',
    '# 4. The environments of the repository, both with a required reviewer: npm, npm-approved. And github-pages.',
    `#    ${repository ?? 'https://github.com/<owner>/<name>'}/settings/environments`,
    `gh variable set DEPLOY_DOCS --repo ${place} --body true`,
    '',
    '# 5. The labels.',
    ...labels.map(
      ({ name, color, description }) =>
        `gh label create ${quoted(name)} --repo ${place} --color ${color} --description ${quoted(description)} --force`,
    ),
    '',
  ].join('\n')
}

function main() {
  const folder = join(root, 'packages')
  const manifests = readdirSync(folder)
    .map((name) => join(folder, name, 'package.json'))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const labels = JSON.parse(readFileSync(join(root, '.github', 'labels.json'), 'utf8'))
  console.log(
    firstSteps(
      manifests.map(({ name }) => name),
      readFacts(root),
      labels,
    ),
  )
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) main()
