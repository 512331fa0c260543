import { deepStrictEqual } from 'node:assert/strict'
import type { Readable, Writable } from 'node:stream'
import { type Contender, RAW_STDIO, starters } from './contenders.ts'
import { median } from './load/load-result.ts'
import { FIRST_ID, idCounter, INITIALIZE, messageWith } from './load/requests.ts'
import { StdioClient } from './load/stdio-load.ts'
import { interleave, type Measured, type Run, type Timing } from './measure.ts'
import { ServerProcess } from './server-process.ts'
import { summarise, type Table } from './summary.ts'
import { resultOf, TEXT } from './workloads.ts'

const clientOf = ({ child }: ServerProcess): StdioClient =>
  new StdioClient(child.stdin as Writable, child.stdout as Readable)

/** Measures the text tool over stdio with this number of concurrent requests. */
export async function measureStdio(
  name: string,
  depth: number,
  contenders: readonly Contender[],
  timing: Timing,
): Promise<Table> {
  const starts: Run[][] = []
  for (let start = 0; start < timing.starts; start++) {
    const started = start === 0 ? contenders : contenders.filter(({ once }) => !once)
    starts.push(await measureStart(started, depth, timing))
  }
  const title = `stdio, ${depth === 1 ? 'one call after the other' : `pipelined, ${depth} calls on their way`}`
  return { name, title, rows: summarise(starts) }
}

async function measureStart(contenders: readonly Contender[], depth: number, timing: Timing): Promise<Run[]> {
  const servers = await Promise.all(contenders.map((contender) => ServerProcess.start(contender)))
  try {
    const all: Measured[] = []
    for (const server of servers) {
      const client = clientOf(server)
      await client.initialize()
      const line = await client.exchange(messageWith(TEXT.message, FIRST_ID))
      TEXT.verify(resultOf(line, FIRST_ID))
      const nextId = idCounter()
      const next = (): string => messageWith(TEXT.message, nextId())
      const lineBytes = Buffer.byteLength(line) + 1
      all.push({ server, load: (seconds) => client.load({ seconds, depth, lineBytes, next }) })
    }
    // No profiles are taken, because a server may write several responses at once.
    return await interleave(all, { ...timing, profiles: 0 })
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** The time from the start of a server to its first response. */
export interface FirstAnswer {
  readonly name: string
  readonly title: string
  readonly tools: number
  readonly ms: number
  /** The processor time that the server used until its first response. */
  readonly cpuMs: number
  /** Both times, divided by those of a program that sends a constant in response to every request. */
  readonly ratio: number
  readonly cpuRatio: number
}

/** Starts servers of each size, alternating with raw Node. */
export async function measureFirstAnswers(sizes: readonly number[], rounds: number): Promise<FirstAnswer[]> {
  const answers: FirstAnswer[] = []
  for (const tools of sizes) answers.push(...(await measureFirstAnswer(tools, rounds)))
  return answers
}

async function measureFirstAnswer(tools: number, rounds: number): Promise<FirstAnswer[]> {
  const all = [RAW_STDIO, ...starters(tools)]
  const starts = new Map<string, Start[]>(all.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const contender of all) starts.get(contender.name)?.push(await firstAnswer(contender))
  }
  const medianOf = (name: string, figure: keyof Start): number =>
    median((starts.get(name) ?? []).map((start) => start[figure]))
  return all.map(({ name, title }) => {
    const ms = medianOf(name, 'ms')
    const cpuMs = medianOf(name, 'cpuMs')
    const ratio = ms / medianOf(RAW_STDIO.name, 'ms')
    return { name, title, tools, ms, cpuMs, ratio, cpuRatio: cpuMs / medianOf(RAW_STDIO.name, 'cpuMs') }
  })
}

interface Start {
  readonly ms: number
  readonly cpuMs: number
}

async function firstAnswer(contender: Contender): Promise<Start> {
  const start = performance.now()
  const server = ServerProcess.spawn(contender)
  const ready = server.ready()
  const line = await clientOf(server).exchange(messageWith(INITIALIZE, FIRST_ID))
  const ms = performance.now() - start
  deepStrictEqual((JSON.parse(line) as { id: unknown }).id, FIRST_ID)
  await ready
  const cpuMs = (await server.cpuMicros()) / 1000
  await server.stop()
  return { ms, cpuMs }
}
