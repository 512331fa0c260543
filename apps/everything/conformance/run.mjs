/**
 * Runs the public conformance suite against the built server, on each web framework and in each revision for
 * which the suite has scenarios. Warnings count as failures, as do requirements that no run has verified.
 * `expected-failures.txt` lists the scenarios that may fail.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { pooled } from './pool.mjs'
import { serve } from './serve.mjs'
import { runScenarios, runSuite } from './suite.mjs'
import { Verdict } from './verdict.mjs'

const ADAPTERS = ['fastify', 'hono']
/** Observes the server from another one. This does not depend on the framework, so it is tested on one. */
const COMPOSED = ['--composed']

const LAST_WITH_SESSIONS = '2025-11-25'
const FIRST_WITHOUT_SESSIONS = '2026-07-28'

/** The number of concurrent runs. */
const AT_ONCE = 2

/**
 * `scenarios` is the expected number of scenarios in the pinned version of the suite. It is checked so that
 * skipped scenarios are noticed. The suite's client offers the newest revision that it knows, so testing an
 * older one requires a server that supports no other.
 */
const RUNS = [
  { revision: '2025-03-26', scenarios: 1, flags: ['--revisions', '2025-03-26'] },
  { revision: '2025-06-18', scenarios: 27, flags: ['--revisions', '2025-06-18'] },
  { revision: '2025-11-25', scenarios: 33, flags: ['--revisions', '2025-11-25'] },
  { revision: '2025-11-25', scenarios: 33, flags: [] },
  // Some scenarios test streams, and skip their checks if a reply is plain JSON.
  { revision: '2025-11-25', scenarios: 33, flags: ['--response', 'sse'] },
  { revision: '2026-07-28', scenarios: 40, flags: [] },
  { revision: '2026-07-28', scenarios: 40, flags: ['--revisions', '2026-07-28'] },
  { revision: '2026-07-28', scenarios: 40, flags: ['--response', 'sse'] },
]

/** Scenarios that test extensions. */
const NAMED = [
  {
    extension: 'skills',
    names: ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest', 'sep-2640-skills-directory'],
  },
  {
    extension: 'tasks',
    // tasks-status-notifications is omitted, because it has no checks in this version of the suite.
    names: [
      'tasks-lifecycle',
      'tasks-capability-negotiation',
      'tasks-wire-fields',
      'tasks-request-state-removal',
      'tasks-mrtr-input',
      'tasks-mrtr-composition',
      'tasks-request-headers',
      'tasks-required-task-error',
      'tasks-dispatch-and-envelope',
    ],
  },
]

async function visitNamed(adapter, { extension, names, flags = [] }) {
  const { url, child } = await serve(['--adapter', adapter, ...flags])
  const ended = once(child, 'exit')
  try {
    return {
      title: [adapter, extension, ...flags].join(' '),
      adapter,
      scenarios: await runScenarios(url, names),
    }
  } finally {
    child.kill()
    await ended
  }
}

async function visit(adapter, { revision, scenarios, flags }) {
  const { url, child } = await serve(['--adapter', adapter, ...flags])
  const ended = once(child, 'exit')
  try {
    await checkNegotiated(url, revision)
    const found = await runSuite(url, revision)
    if (found.length !== scenarios)
      throw new Error(
        `${revision} has ${scenarios} scenarios, but ${found.length} ran. Update RUNS if the suite has a new version`,
      )
    return { title: [adapter, revision, ...flags].join(' '), adapter, scenarios: found }
  } finally {
    child.kill()
    await ended
  }
}

/**
 * Negotiates in the same way as the suite's clients. If the server ignored `--revisions`, the run would test
 * a different revision, and pass.
 */
async function checkNegotiated(url, revision) {
  const spoken = revision >= FIRST_WITHOUT_SESSIONS ? await discover(url) : [await initialize(url)]
  if (!spoken.includes(revision)) throw new Error(`The server speaks ${spoken.join()} instead of ${revision}`)
}

async function initialize(url) {
  const clientInfo = { name: 'conformance', version: '1' }
  const params = { protocolVersion: LAST_WITH_SESSIONS, capabilities: {}, clientInfo }
  return (await post(url, 'initialize', params)).protocolVersion
}

async function discover(url) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': FIRST_WITHOUT_SESSIONS,
    'io.modelcontextprotocol/clientInfo': { name: 'conformance', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = { 'mcp-protocol-version': FIRST_WITHOUT_SESSIONS, 'mcp-method': 'server/discover' }
  return (await post(url, 'server/discover', { _meta }, headers)).supportedVersions
}

async function post(url, method, params, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  // The body is a single event or JSON.
  const [, data = text] = /^data: (\{.*)$/m.exec(text) ?? []
  const { result } = JSON.parse(data)
  if (result === undefined) throw new Error(`${method} was answered with ${response.status} ${text}`)
  return result
}

const expected = readFileSync(new URL('expected-failures.txt', import.meta.url), 'utf8')
const plain = RUNS.filter(({ flags }) => flags.length === 0)
const jobs = [
  ...ADAPTERS.flatMap((adapter) => [
    ...RUNS.map((run) => () => visit(adapter, run)),
    ...NAMED.map((run) => () => visitNamed(adapter, run)),
  ]),
  ...plain.map((run) => () => visit('fastify', { ...run, flags: COMPOSED })),
  ...NAMED.map((run) => () => visitNamed('fastify', { ...run, flags: COMPOSED })),
]
const verdict = new Verdict('conformance', expected)
for (const run of await pooled(jobs, AT_ONCE)) verdict.add(run)
process.exitCode = verdict.conclude() ? 0 : 1
