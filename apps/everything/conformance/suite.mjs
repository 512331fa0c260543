/** The public conformance suite's command line, as a function. It runs on the newer Node that it needs. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance, node } from '@jetway-tools/newer-node'

const SUITE_TIMEOUT_MS = 150_000

/** A check that every scenario has: it holds whatever was sent against the schema, errors too. */
const GENERAL_CHECK = 'wire-schema-valid'

/**
 * What the suite says of one scenario: the checks of its own that say yes, by id; what it finds
 * fault with; and the requirements that it had no occasion to try, with its reason. Entries without
 * a requirement are its notes.
 */
const outcome = (name, checks) => ({
  name,
  proven: checks.filter(({ id, status }) => status === 'SUCCESS' && id !== GENERAL_CHECK).map(({ id }) => id),
  complaints: checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(describe),
  open: checks.filter(isOpen).map(({ id, description, details }) => [id, details?.message ?? description]),
})

const isOpen = ({ status, specReferences = [] }) =>
  status === 'SKIPPED' || (status === 'INFO' && specReferences.length > 0)

const describe = ({ status, id, errorMessage, description }) =>
  `${status === 'WARNING' ? 'warning' : 'failure'} ${id}: ${errorMessage ?? description}`

/**
 * Runs every server scenario of a revision against `url`.
 *
 * @throws when the suite ends early, or says that it ran more scenarios than it reports on
 */
export const runSuite = (url, revision) =>
  reported(async (folder) => {
    const printed = await server(url, folder, ['--suite', 'all', '--spec-version', revision])
    const announced = Number(/\((\d+) scenarios\)/.exec(printed)?.[1])
    return { announced, printed }
  })

/**
 * Runs these scenarios, such as those of extensions, which no revision selects. Throws like {@link runSuite}.
 */
export const runScenarios = (url, names) =>
  reported(async (folder) => {
    let printed = ''
    for (const name of names) printed += await server(url, folder, ['--scenario', name])
    return { announced: names.length, printed }
  })

/** The client scenarios, each with the revisions that have it. */
export async function listClientScenarios() {
  const printed = await print(node, [conformance, 'list', '--client'])
  return [...printed.matchAll(/^ +- (\S+) \[(.+)\]$/gm)].map(([, name, revisions]) => ({
    name,
    revisions: revisions.split(','),
  }))
}

/**
 * Runs one client scenario, `client` being the path of the program that it is about.
 *
 * @returns what the suite says of it; that the program itself ended badly, where the scenario does not expect
 *   it to fail, is a complaint too
 */
export async function runClientScenario(client, name, revision, folder) {
  const command = `"${process.execPath}" "${client}"`
  const args = ['--scenario', name, '--spec-version', revision, '--force', '-o', folder]
  mkdirSync(folder, { recursive: true })
  const printed = await print(node, [conformance, 'client', '--command', command, ...args])
  const [report] = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('checks.json'))
  if (report === undefined)
    return { name, proven: [], open: [], complaints: [`failure: no report:\n${printed}`] }
  const found = outcome(name, JSON.parse(readFileSync(join(folder, report), 'utf8')))
  if (found.complaints.length > 0 || printed.includes('OVERALL: PASSED')) return found
  return { ...found, complaints: [`failure: the client failed:\n${printed.slice(-2_000)}`] }
}

const server = (url, folder, args) =>
  print(node, [conformance, 'server', '--url', url, ...args, '-o', folder])

/** Gives a run a folder for its reports, and reads them. */
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

/** A folder is named `server-<scenario>-<time>`. */
function read(folder, entry) {
  const name = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry)?.[1] ?? entry
  try {
    return outcome(name, JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8')))
  } catch (error) {
    return { name, proven: [], open: [], complaints: [`failure: no report (${error.message})`] }
  }
}

/** The exit code is left aside: what counts is the report, and how it compares with what is expected. */
function print(file, args) {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: SUITE_TIMEOUT_MS, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve(stdout + stderr)
    })
  })
}
