/**
 * Starts a release: joins the changesets into the changelogs, writes the versions, and opens the pull
 * request. Once that is merged, the "Release" workflow publishes the packages. Run the script in a clean
 * checkout of main, signed in with `gh`, because checks do not run for pull requests that a workflow's token
 * has opened. `--dry-run` prints the commands.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, exit } from 'node:process'
import { pnpm, root } from '../../.ci/pnpm.mjs'
import { script, stepOrExit, tool } from '../steps.mjs'

/** The commands that change files. */
const CHANGES = [
  ['changeset version', tool('changeset', 'version')],
  ['npm run project', script('scripts/project.mjs', '--write')],
  ['lockfile', [...pnpm(), 'install', '--lockfile-only']],
  ['format', tool('oxfmt')],
]

const BODY = 'Merge this to release. The workflow Release tests, packs and uploads; see docs/releasing.md.'

/** @param {string} version @returns {[string, string[]][]} the commands that open the pull request */
const proposal = (version) => [
  ['branch', ['git', 'switch', '--create', `release/v${version}`]],
  ['commit', ['git', 'commit', '--all', '--message', `Version ${version}`]],
  ['push', ['git', 'push', '--set-upstream', 'origin', `release/v${version}`]],
  ['pull request', ['gh', 'pr', 'create', '--title', `Version ${version}`, '--body', BODY]],
]

async function main() {
  if (argv.includes('--dry-run')) {
    for (const [, command] of [...CHANGES, ...proposal('<version>')]) console.log(command.join(' '))
    return
  }
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  if (git('branch', '--show-current') !== 'main' || git('status', '--porcelain') !== '') {
    console.error('Check out main, without changes of yours, and run this again')
    exit(1)
  }
  for (const [title, command] of CHANGES) await stepOrExit(title, command)
  git('add', '--all')
  const { version } = JSON.parse(readFileSync(join(root, 'packages', 'core', 'package.json'), 'utf8'))
  for (const [title, command] of proposal(version)) await stepOrExit(title, command)
}

await main()
