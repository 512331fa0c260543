/**
 * Runs every client scenario of the public conformance suite against the built client, each at every
 * revision that has it. Warnings count as failures, and so does a requirement that no run proves;
 * nothing is expected to fail.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pooled } from './pool.mjs'
import { listClientScenarios, runClientScenario } from './suite.mjs'
import { Verdict } from './verdict.mjs'

const client = fileURLToPath(new URL('../dist/client.js', import.meta.url))

/** Runs that share the machine at a time. */
const AT_ONCE = 2

/**
 * What belongs to an extension belongs to no revision. Authorization is tried with the last one with sessions
 * and the first without; skills are there without sessions only.
 */
const revisionsOf = ({ name, revisions }) => {
  if (!revisions.includes('extension')) return revisions
  return name.startsWith('auth/') ? ['2025-11-25', '2026-07-28'] : ['2026-07-28']
}

/**
 * How many runs this very version of the suite makes, by revision: one that is left out would pass unseen.
 */
const EXPECTED = { '2025-03-26': 2, '2025-06-18': 5, '2025-11-25': 25, '2026-07-28': 43 }

/** Entries that say what the suite itself has done: no client can prove them. */
const NOTES = ['server-info', 'scope-retry-auth-attempt']

/**
 * They measure, to a fifth of a second, when something is sent: nothing else runs meanwhile, and what a busy
 * machine has made late is tried again.
 */
const TIMED = ['sse-retry']
const TRIES = 3

const scenarios = await listClientScenarios()
const runs = scenarios.flatMap((scenario) =>
  revisionsOf(scenario).map((revision) => ({ name: scenario.name, revision })),
)
const isTimed = ({ name }) => TIMED.includes(name)

const folder = mkdtempSync(join(tmpdir(), 'jetway-client-conformance-'))
const visit =
  ({ name, revision }) =>
  async () => {
    const tries = TIMED.includes(name) ? TRIES : 1
    let found
    for (let at = 0; at < tries && !(found?.complaints.length === 0); at++)
      found = await runClientScenario(client, name, revision, join(folder, `${name}-${revision}-${at}`))
    const open = found.open.filter(([id]) => !NOTES.includes(id))
    return { title: revision, adapter: 'client', scenarios: [{ ...found, open }] }
  }

const verdict = new Verdict('client conformance')
try {
  const timed = await pooled(runs.filter(isTimed).map(visit), 1)
  const others = await pooled(runs.filter((run) => !isTimed(run)).map(visit), AT_ONCE)
  for (const run of [...timed, ...others]) verdict.add(run)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
let complete = true
for (const revision of new Set([...Object.keys(EXPECTED), ...runs.map((run) => run.revision)])) {
  const count = runs.filter((run) => run.revision === revision).length
  if (count === EXPECTED[revision]) continue
  complete = false
  console.log(
    `✗ The suite has ${count} scenarios at ${revision}, and ${EXPECTED[revision] ?? 0} are expected`,
  )
}
process.exitCode = verdict.conclude() && complete ? 0 : 1
