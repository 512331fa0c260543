/**
 * Runs the public conformance suite's scenarios about authorization against the built client, each at every revision
 * that has it, those of extensions in both eras. Warnings count as failures, and so does a scenario without a check of
 * its own that says yes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listClientScenarios, runClientScenario } from './suite.mjs'

const client = fileURLToPath(new URL('../dist/client.js', import.meta.url))

/** Runs that share the machine at a time. */
const AT_ONCE = 2

/** What belongs to an extension belongs to no revision; it is tried with the last one with sessions, and the first without. */
const OF_EXTENSIONS = ['2025-11-25', '2026-07-28']

/** How many this very version of the suite has: one that is left out would pass unseen. */
const EXPECTED = 56

const scenarios = await listClientScenarios()
const runs = scenarios
  .filter(({ name }) => name.startsWith('auth/'))
  .flatMap(({ name, revisions }) =>
    (revisions.includes('extension') ? OF_EXTENSIONS : revisions).map((revision) => ({ name, revision })),
  )

const folder = mkdtempSync(join(tmpdir(), 'jetway-client-conformance-'))
let passed = 0
const queue = runs.values()
async function work() {
  for (const { name, revision } of queue) {
    const complaints = await runClientScenario(client, name, revision, join(folder, `${name}-${revision}`))
    if (complaints.length === 0) passed += 1
    for (const complaint of complaints) console.log(`${name} at ${revision}: ${complaint}`)
  }
}
try {
  await Promise.all(Array.from({ length: AT_ONCE }, work))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (runs.length !== EXPECTED)
  console.log(`The suite has ${runs.length} such scenarios, ${EXPECTED} are expected`)
console.log(`client conformance: ${passed} passed, ${runs.length - passed} failed`)
process.exitCode = passed === EXPECTED && runs.length === EXPECTED ? 0 : 1
