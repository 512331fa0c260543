/** Runs the command line of the public conformance suite, on the newer Node that it needs. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, node } from '@jetway-tools/newer-node'

const SUITE_TIMEOUT_MS = 150_000

/**
 * Every scenario validates all messages against the schema in this check, so the check says nothing about the
 * scenario itself.
 */
const GENERAL_CHECK = 'wire-schema-valid'

/**
 * Groups the checks of one scenario. `proven` contains the ids of passed checks, `complaints` the messages of
 * failures and warnings, and `open` the requirements that the suite could not test, each with the reason.
 */
const outcome = (name, checks) => ({
  name,
  proven: checks.filter(({ id, status }) => status === 'SUCCESS' && id !== GENERAL_CHECK).map(({ id }) => id),
  complaints: checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(describe),
  open: checks.filter(isOpen).map(({ id, description, details }) => [id, details?.message ?? description]),
})

/** An `INFO` check without a requirement is only a note from the suite. */
const isOpen = ({ status, specReferences = [] }) =>
  status === 'SKIPPED' || (status === 'INFO' && specReferences.length > 0)

const describe = ({ status, id, errorMessage, description }) =>
  `${status === 'WARNING' ? 'warning' : 'failure'} ${id}: ${errorMessage ?? description}`

/**
 * Runs every server scenario of a revision against `url`.
 *
 * @throws Error if the suite ends early, or reports on fewer scenarios than it announced
 */
export const runSuite = (url, revision) =>
  reported(async (folder) => {
    const printed = await server(url, folder, ['--suite', 'all', '--spec-version', revision])
    const announced = Number(/\((\d+) scenarios\)/.exec(printed)?.[1])
    return { announced, printed }
  })

/** Runs scenarios by name, because scenarios of extensions belong to no revision. Throws like {@link runSuite}. */
export const runScenarios = (url, names) =>
  reported(async (folder) => {
    let printed = ''
    for (const name of names) printed += await server(url, folder, ['--scenario', name])
    return { announced: names.length, printed }
  })

/** Lists the client scenarios, each with the revisions that have it. */
export async function listClientScenarios() {
  const printed = await outputOf(node, [conformance, 'list', '--client'])
  return [...printed.matchAll(/^ +- (\S+) \[(.+)\]$/gm)].map(([, name, revisions]) => ({
    name,
    revisions: revisions.split(','),
  }))
}

/**
 * Runs one client scenario. If the suite reports a failure that no check explains, the client's process has
 * failed, and the end of the output becomes the complaint.
 *
 * @param client - the path of the client's program
 */
export async function runClientScenario(client, name, revision, folder) {
  const command = `"${process.execPath}" "${client}"`
  const args = ['--scenario', name, '--spec-version', revision, '--force', '-o', folder]
  mkdirSync(folder, { recursive: true })
  const printed = await outputOf(node, [conformance, 'client', '--command', command, ...args])
  const [report] = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('checks.json'))
  if (report === undefined)
    return { name, proven: [], open: [], complaints: [`failure: no report:\n${printed}`] }
  const found = outcome(name, JSON.parse(readFileSync(join(folder, report), 'utf8')))
  if (found.complaints.length > 0 || printed.includes('OVERALL: PASSED')) return found
  return { ...found, complaints: [`failure: the client failed:\n${printed.slice(-2_000)}`] }
}

const server = (url, folder, args) =>
  outputOf(node, [conformance, 'server', '--url', url, ...args, '-o', folder])

/** Runs the suite with a temporary folder, and reads the reports that the suite writes to it. */
async function reported(runIn) {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-conformance-'))
  try {
    const { announced, printed } = await runIn(folder)
    const scenarios = readdirSync(folder)
      .toSorted()
      .map((entry) => read(folder, entry))
    // A scenario that crashes leaves a folder without a report, or no folder at all.
    if (announced !== scenarios.length || announced === 0) {
      throw new Error(
        `The suite announced ${announced} scenarios and reported on ${scenarios.length}:\n${printed}`,
      )
    }
    return scenarios
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The folder's name is `server-<scenario>-<time>`. */
function read(folder, entry) {
  const name = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry)?.[1] ?? entry
  try {
    return outcome(name, JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8')))
  } catch (error) {
    return { name, proven: [], open: [], complaints: [`failure: no report (${error.message})`] }
  }
}

/** Ignores the exit code, because the suite also fails for expected failures. Only its reports count. */
function outputOf(file, args) {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: SUITE_TIMEOUT_MS, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve(stdout + stderr)
    })
  })
}
