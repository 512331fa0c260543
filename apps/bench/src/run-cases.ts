import { HTTP, STARTED_TOOLS, STDIO, TOOL_COUNTS } from './contenders.ts'
import { HttpBench } from './http-bench.ts'
import { measureImports } from './imports.ts'
import type { Table } from './measure.ts'
import type { BenchOptions } from './options.ts'
import type { Report } from './report.ts'
import { measureSessionMemory } from './session-memory.ts'
import { measureFirstAnswers, measureStdio } from './stdio-bench.ts'
import { CREATE, FORMS, LIST, STRUCTURED, TEXT, type Workload } from './workloads.ts'

const CONNECTIONS = [1, 16, 64]
const FORM_CONNECTIONS = 16
const PIPELINE_DEPTH = 64
const SPAWNS = 9
const IDLE_SESSIONS = 5000

type Cases = Omit<Report, 'machine'>

/** Runs what was asked for, one case after the other, and says on stderr where it is. */
export async function runCases(options: BenchOptions): Promise<Cases> {
  const wanted = (name: string): boolean =>
    options.only.length === 0 || options.only.some((begin) => name.startsWith(begin))
  const tables = [...(await httpCases(options, wanted)), ...(await stdioCases(options, wanted))]
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
  const chosen = cases.filter(([{ name }, connections]) => wanted(`${name}-${connections}`))
  if (chosen.length > 0) {
    const bench = await HttpBench.start(HTTP)
    for (const [workload, connections] of chosen) {
      const running = bench.measure(workload, connections, timing)
      tables.push(await said(`${workload.name}-${connections}`, running))
    }
    await bench.stop()
  }
  const forms = FORMS.filter(({ session }) => wanted(`modern-${session.name}-${FORM_CONNECTIONS}`))
  if (forms.length > 0) {
    const bench = await HttpBench.start(HTTP.filter(({ program }) => program.startsWith('jetway')))
    for (const form of forms) {
      const running = bench.compareForms(form, FORM_CONNECTIONS, timing)
      tables.push(await said(`modern-${form.session.name}-${FORM_CONNECTIONS}`, running))
    }
    await bench.stop()
  }
  if (wanted('tools-1000')) {
    const bench = await HttpBench.start(TOOL_COUNTS)
    const { rows } = await said('tools-1000', bench.measure(TEXT, 16, timing))
    tables.push({
      name: 'tools-1000',
      title: 'tools/call, text, 16 connections, Jetway on Fastify with other tools beside it',
      rows,
    })
    await bench.stop()
  }
  return tables
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
