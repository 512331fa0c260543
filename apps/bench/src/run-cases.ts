import { startRedis } from '@jetway-apps/test-support/redis'
import {
  COMPOSED,
  type Contender,
  HTTP,
  PROTECTED,
  sharedOver,
  STARTED_TOOLS,
  STDIO,
  STREAMS,
  TELEMETRY,
  TOOL_COUNTS,
} from './contenders.ts'
import { type HttpBench, measureHttp, titleOf } from './http-bench.ts'
import { measureImports } from './imports.ts'
import { STANDING_VERSION } from './load/requests.ts'
import type { Run } from './measure.ts'
import type { BenchOptions } from './options.ts'
import type { Report } from './report.ts'
import { measureSessionMemory } from './session-memory.ts'
import { measureFirstAnswers, measureStdio } from './stdio-bench.ts'
import type { Table } from './summary.ts'
import { CREATE, LIST, MODERN, PREFIXED, STRUCTURED, TEXT, type Workload } from './workloads.ts'

const CONNECTIONS = [1, 16, 64]
/** The number of connections for cases that are measured with only one number of connections. */
const FORM_CONNECTIONS = 16
const NOTIFIED = 1000
/**
 * All servers except the official SDK, which has one server per session and therefore cannot notify all
 * sessions at once.
 */
const UNOFFICIAL = HTTP.filter(({ once }) => once !== true)
const PIPELINE_DEPTH = 64
const SPAWNS = 9
const IDLE_SESSIONS = 5000

type Cases = Omit<Report, 'machine'>

/**
 * Returns whether `only` is the name of a case or a prefix of it. If `only` ends with a digit, it must be the
 * full name.
 */
const isCase = (name: string, only: string): boolean =>
  /\d$/.test(only) ? name === only : name.startsWith(only)

/** Runs the selected cases one after another, and reports progress on stderr. */
export async function runCases(options: BenchOptions): Promise<Cases> {
  const wanted = (name: string): boolean =>
    options.only.length === 0 || options.only.some((only) => isCase(name, only))
  const tables = [
    ...(await httpCases(options, wanted)),
    ...(await sharedCases(options, wanted)),
    ...(await stdioCases(options, wanted)),
  ]
  const imports = wanted('imports') ? await said('imports', measureImports(SPAWNS)) : []
  const firstAnswers = wanted('first-answer')
    ? await said('first-answer', measureFirstAnswers(STARTED_TOOLS, SPAWNS))
    : []
  const memory = wanted('memory') ? await said('memory', measureSessionMemory(HTTP, IDLE_SESSIONS)) : []
  return { tables, imports, firstAnswers, memory }
}

async function httpCases({ timing }: BenchOptions, wanted: (name: string) => boolean): Promise<Table[]> {
  const cases: [Workload, number][] = [TEXT, STRUCTURED, LIST].flatMap((workload) =>
    CONNECTIONS.map((connections): [Workload, number] => [workload, connections]),
  )
  cases.push([CREATE, 16])
  const tables: Table[] = []
  const add = async (
    { name, title }: Pick<Table, 'name' | 'title'>,
    contenders: readonly Contender[],
    run: (bench: HttpBench) => Promise<Run[]>,
  ): Promise<void> => {
    if (wanted(name)) tables.push(await said(name, measureHttp({ name, title }, contenders, timing, run)))
  }
  for (const [workload, connections] of cases) {
    const called = { name: `${workload.name}-${connections}`, title: titleOf(workload, connections) }
    // Only cases with this number of connections are profiled, because the number affects how long the kernel
    // needs for a write, and writes are the unit in a profile.
    const profiles = connections === FORM_CONNECTIONS ? timing.profiles : 0
    await add(called, HTTP, (bench) => bench.measure(workload, connections, { ...timing, profiles }))
  }
  for (const workload of [TEXT, LIST]) {
    const streamed = {
      name: `stream-${workload.name}-${FORM_CONNECTIONS}`,
      title: `${titleOf(workload, FORM_CONNECTIONS)}, as an event stream`,
    }
    await add(streamed, STREAMS, (bench) => bench.measure(workload, FORM_CONNECTIONS, timing))
  }
  const notified = {
    name: 'notify-1000',
    title: `One notification to ${NOTIFIED} streams: each request of the table is one`,
  }
  await add(notified, UNOFFICIAL, (bench) => bench.measureNotifications(NOTIFIED, timing))
  for (const workload of MODERN) {
    const name = `modern-${workload.name}-${FORM_CONNECTIONS}`
    const title = `${titleOf(workload, FORM_CONNECTIONS)}, as a request of ${STANDING_VERSION}`
    await add({ name, title }, UNOFFICIAL, (bench) => bench.measure(workload, FORM_CONNECTIONS, timing))
  }
  const cold = {
    name: `cold-${TEXT.name}-1`,
    title: `${TEXT.title}, ${UNOFFICIAL.length} servers at the same time, 1 connection each`,
  }
  await add(cold, UNOFFICIAL, (bench) => bench.measureTogether(TEXT, 1, timing))
  const authenticated = {
    name: `auth-${TEXT.name}-${FORM_CONNECTIONS}`,
    title: `${titleOf(TEXT, FORM_CONNECTIONS)}: with OAuth`,
  }
  await add(authenticated, PROTECTED, (bench) => bench.measure(TEXT, FORM_CONNECTIONS, timing))
  const traced = {
    name: `telemetry-${TEXT.name}-${FORM_CONNECTIONS}`,
    title: `${titleOf(TEXT, FORM_CONNECTIONS)}: with OpenTelemetry`,
  }
  await add(traced, TELEMETRY, (bench) => bench.measure(TEXT, FORM_CONNECTIONS, timing))
  for (const workload of PREFIXED) {
    const name = `composed-${workload.name}-${FORM_CONNECTIONS}`
    const form = `${titleOf(workload, FORM_CONNECTIONS)}, Jetway on Fastify with tools of another server`
    await add({ name, title: form }, COMPOSED, (bench) => bench.measure(workload, FORM_CONNECTIONS, timing))
  }
  const title = 'tools/call, text, 16 connections, Jetway on Fastify with other tools registered'
  await add({ name: 'tools-1000', title }, TOOL_COUNTS, (bench) => bench.measure(TEXT, 16, timing))
  return tables
}

/** Measures the cost of storing sessions and events in Redis. Calls without a session must not become slower. */
async function sharedCases({ timing }: BenchOptions, wanted: (name: string) => boolean): Promise<Table[]> {
  const cases: readonly (Pick<Table, 'name' | 'title'> & {
    readonly workload: Workload
    readonly connections: number
    readonly args?: readonly string[]
  })[] = [
    ...[1, 16].map((connections) => ({
      name: `shared-text-${connections}`,
      title: `${titleOf(TEXT, connections)}: sessions in Redis`,
      workload: TEXT,
      connections,
    })),
    {
      name: `shared-stream-${TEXT.name}-${FORM_CONNECTIONS}`,
      title: `${titleOf(TEXT, FORM_CONNECTIONS)}, as an event stream: sessions and events in Redis`,
      workload: TEXT,
      connections: FORM_CONNECTIONS,
      args: ['--stream'],
    },
    ...MODERN.slice(0, 1).map((workload) => ({
      name: `shared-modern-${workload.name}-${FORM_CONNECTIONS}`,
      title: `${titleOf(workload, FORM_CONNECTIONS)}, as a request of ${STANDING_VERSION}: other sessions in Redis`,
      workload,
      connections: FORM_CONNECTIONS,
    })),
  ].filter(({ name }) => wanted(name))
  if (cases.length === 0) return []
  const redis = await startRedis()
  try {
    const tables: Table[] = []
    for (const { workload, connections, args = [], ...table } of cases) {
      const measured = measureHttp(table, sharedOver(redis.url, args), timing, (bench) =>
        // No profiles are taken, because a server that also writes to Redis makes other system calls. A client
        // that never sleeps would keep Redis from running.
        bench.measure(workload, connections, { ...timing, profiles: 0, client: 'natural' }),
      )
      tables.push({ ...(await said(table.name, measured)), waits: true })
    }
    return tables
  } finally {
    await redis.stop()
  }
}

async function stdioCases({ timing }: BenchOptions, wanted: (name: string) => boolean): Promise<Table[]> {
  const cases: [string, number][] = [
    ['stdio-sequential', 1],
    ['stdio-pipelined', PIPELINE_DEPTH],
  ]
  const tables: Table[] = []
  for (const [name, depth] of cases) {
    if (wanted(name)) tables.push(await said(name, measureStdio(name, depth, STDIO, timing)))
  }
  return tables
}

async function said<T>(name: string, running: Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await running
  process.stderr.write(`${name} (${((performance.now() - start) / 1000).toFixed(0)} s)\n`)
  return result
}
