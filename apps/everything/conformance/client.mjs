/**
 * Runs every client scenario of the public conformance suite against the built client, in every revision that
 * has the scenario. Warnings count as failures, as do requirements that no run has verified. No scenario is
 * expected to fail.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pooled } from './pool.mjs'
import { listClientScenarios, runClientScenario } from './suite.mjs'
import { Verdict } from './verdict.mjs'

const client = fileURLToPath(new URL('../dist/client.js', import.meta.url))

/** The number of concurrent runs. */
const AT_ONCE = 2

/**
 * Scenarios for extensions belong to no revision. The authorization scenarios run in the last revision with
 * sessions and in the first one without, and the skills scenarios need a revision without sessions.
 */
const revisionsOf = ({ name, revisions }) => {
  if (!revisions.includes('extension')) return revisions
  return name.startsWith('auth/') ? ['2025-11-25', '2026-07-28'] : ['2026-07-28']
}

/**
 * The expected number of runs per revision in the pinned version of the suite. It is checked so that skipped
 * scenarios are noticed.
 */
const EXPECTED = { '2025-03-26': 2, '2025-06-18': 5, '2025-11-25': 25, '2026-07-28': 43 }

/** Checks that record the suite's own actions, so they cannot verify anything about a client. */
const NOTES = ['server-info', 'scope-retry-auth-attempt']

/**
 * These scenarios check the time of a message with a tolerance of 200 ms. They run alone and are retried
 * after a failure, because a busy machine may have delayed the message.
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
