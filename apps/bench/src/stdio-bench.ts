import { deepStrictEqual } from 'node:assert/strict'
import type { Readable, Writable } from 'node:stream'
import { type Contender, RAW_STDIO } from './contenders.ts'
import { median } from './load/load-result.ts'
import { FIRST_ID, idCounter, INITIALIZE, messageWith } from './load/requests.ts'
import { StdioClient } from './load/stdio-load.ts'
import { interleave, type Measured, type Table, type Timing } from './measure.ts'
import { ServerProcess } from './server-process.ts'
import { resultOf, TEXT } from './workloads.ts'

const clientOf = ({ child }: ServerProcess): StdioClient =>
  new StdioClient(child.stdin as Writable, child.stdout as Readable)

/** The text tool over standard streams, with so many requests on their way at once. */
export async function measureStdio(
  name: string,
  depth: number,
  contenders: readonly Contender[],
  timing: Timing,
): Promise<Table> {
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
    const title = `stdio, ${depth === 1 ? 'one call after the other' : `pipelined, ${depth} calls on their way`}`
    return { name, title, rows: await interleave(all, timing) }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** How long a client waits for its first answer, from the moment it starts the server. */
export interface FirstAnswer {
  readonly name: string
  readonly title: string
  readonly ms: number
  /** Divided by the time of a program that answers anything with a constant. */
  readonly ratio: number
}

export async function measureFirstAnswer(
  contenders: readonly Contender[],
  rounds: number,
): Promise<FirstAnswer[]> {
  const all = [RAW_STDIO, ...contenders]
  const times = new Map<string, number[]>(all.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const contender of all) times.get(contender.name)?.push(await firstAnswer(contender))
  }
  const floor = median(times.get(RAW_STDIO.name) ?? [])
  return all.map(({ name, title }) => {
    const ms = median(times.get(name) ?? [])
    return { name, title, ms, ratio: ms / floor }
  })
}

async function firstAnswer(contender: Contender): Promise<number> {
  const start = performance.now()
  const server = ServerProcess.spawn(contender)
  const line = await clientOf(server).exchange(messageWith(INITIALIZE, FIRST_ID))
  const ms = performance.now() - start
  deepStrictEqual((JSON.parse(line) as { id: unknown }).id, FIRST_ID)
  await server.stop()
  return ms
}
