import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { callTool, initialize, INITIALIZED, MODERN, requestMeta, seeded } from '@jetway-apps/test-support'
import { post } from '@jetway-apps/test-support/http'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { parseBytes } from '@jetway/core/protocol'
import { onTestFinished } from 'vitest'
import { mutatedMessage, mutatedRequest } from './mutations.ts'

const TARGET = ['--expose-gc', ...program(new URL('../../src/fuzz-target.ts', import.meta.url))]
/** The number of inputs between two checks that the server is still responding. */
const SENTINEL_EVERY = 1000
/** The time limit includes the server's start on a busy machine. */
const HANG_MS = 45_000
const MIB = 1024 * 1024
/** A call without a session is used, because a full server refuses new sessions. */
const HEAP_CALL = callTool('heap', {}, { meta: requestMeta() })
const HEAP_HEADERS = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'heap' }

/** The result of a run. `heap` is the growth since the first tenth of the run, in MiB. */
export interface Fuzzed {
  readonly inputs: number
  readonly heap: number
}

/**
 * Parses mutated messages. Rejects at the first exception, and at the first result that is neither a value nor
 * a parse error.
 */
export function fuzzParser(inputs: number, seed: number): { readonly valid: number } {
  const random = seeded(seed)
  let valid = 0
  for (let input = 0; input < inputs; input++) {
    const bytes = mutatedMessage(random)
    const parsed = parseBytes(bytes)
    if (parsed.ok) valid++
    else if (parsed.error.code !== -32700 && parsed.error.code !== -32600)
      throw new Error(`${parsed.error.code} for ${bytes.toString('base64')}`)
  }
  return { valid }
}

/** Sends mutated lines to a server over stdio, and makes a call after every thousand lines. */
export async function fuzzStdio(inputs: number, seed: number): Promise<Fuzzed> {
  const target = start([])
  const random = seeded(seed)
  const answers = new Map<unknown, (text: string) => void>()
  createInterface({ input: target.process.stdout }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as { id?: unknown; result?: { content?: [{ text: string }] } }
    answers.get(id)?.(result?.content?.[0].text ?? '')
  })
  const write = (line: string | Buffer): boolean =>
    target.process.stdin.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]))
  const ask = (message: { readonly id: unknown }): Promise<string> =>
    within(
      target,
      new Promise((resolve) => {
        answers.set(message.id, resolve)
        write(JSON.stringify(message))
      }),
    )
  await ask(initialize(undefined, { id: 'begin' }))
  write(JSON.stringify(INITIALIZED))
  const heap = (id: string): Promise<number> => ask(callTool('heap', {}, { id })).then(Number)
  return attack({
    inputs,
    heap: (at) => heap(`heap-${at}`),
    async thousand(count) {
      for (let line = 0; line < count; line++) write(mutatedMessage(random))
    },
  })
}

/** Sends mutated requests to a server over HTTP, each on a new connection. */
export async function fuzzHttp(inputs: number, seed: number): Promise<Fuzzed> {
  const target = start(['http'])
  const [origin] = await target.until(/http:\S+/)
  const port = Number(new URL(origin).port)
  const random = seeded(seed)
  return attack({
    inputs,
    async heap() {
      const reply = await within(target, post(`${origin}/mcp`, JSON.stringify(HEAP_CALL), HEAP_HEADERS))
      const { result } = (await reply.json()) as { result: { content: [{ text: string }] } }
      return Number(result.content[0].text)
    },
    async thousand(count) {
      const workers = Array.from({ length: 16 }, async (_, worker) => {
        for (let at = worker; at < count; at += 16)
          await within(target, exchange(port, mutatedRequest(random)))
      })
      await Promise.all(workers)
    },
  })
}

interface Attack {
  readonly inputs: number
  /** Sends this number of inputs. */
  readonly thousand: (count: number) => Promise<void>
  /** Requests the size of the server's heap. The response also shows that the server is still running. */
  readonly heap: (at: number) => Promise<number>
}

async function attack({ inputs, thousand, heap }: Attack): Promise<Fuzzed> {
  let base = 0
  let last = 0
  for (let at = 0; at < inputs; at += SENTINEL_EVERY) {
    await thousand(Math.min(SENTINEL_EVERY, inputs - at))
    last = await heap(at)
    // The first inputs cause code to be loaded and compiled, which is not a leak.
    if (at <= inputs / 10) base = last
  }
  return { inputs, heap: Math.max(0, (last - base) / MIB) }
}

function start(args: readonly string[]): Running {
  const target = startNode([...TARGET, ...args])
  onTestFinished(async () => void (await target.stop('SIGKILL')))
  return target
}

/** Rejects with the server's output if it exits or hangs. */
async function within<T>(target: Running, work: Promise<T>): Promise<T> {
  const problem = (what: string): Error =>
    new Error(`The server ${what}: ${target.output.stderr.slice(-2000)}`)
  let timer: NodeJS.Timeout | undefined
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(problem('hangs')), HANG_MS)
  })
  const ends = target.exited.then(() => Promise.reject(problem('ended')))
  return Promise.race([work, hangs, ends]).finally(() => clearTimeout(timer))
}

/**
 * Sends the bytes, and then ends the connection. Resolves when the first bytes of the reply arrive, or when the
 * connection closes.
 */
function exchange(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const done = (): void => {
      socket.resetAndDestroy()
      resolve()
    }
    socket.on('error', done).on('close', done).once('data', done)
    socket.end(bytes)
  })
}
