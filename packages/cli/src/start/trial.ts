import { performance } from 'node:perf_hooks'
import { type JsonRpcResponse, Method, Notification, REVISIONS } from '@jetway/core/protocol'
import { ownVersion } from '../version.ts'
import type { Start } from './environment.ts'
import { groupEnds, groupMembers, signalGroup } from './group.ts'
import { type NotStdio, ServerProcess, within } from './server-process.ts'

/** How long hosts wait for the first response, in ms. Codex waits for 10 s. */
export const ANSWER_MS = 10_000
/** How long a server may take to exit after its stdin was closed, in ms. */
export const END_MS = 5_000
/** The time between SIGTERM and SIGKILL, in ms. */
const SIGNAL_MS = 2_000
const MAX_PAGES = 64

/** A record of a server's run, from its start to its exit. */
export interface Trial {
  /** Why the server could not be started, such as `ENOENT`. If it is set, everything else is unknown. */
  readonly notStarted?: string
  /** The harness's report about a file that does not serve stdio. If it is set, everything else is unknown. */
  readonly report?: NotStdio
  /** The response to `initialize`. */
  readonly answer?: JsonRpcResponse
  /** The time from the start to the response, in ms. */
  readonly answeredAfterMs?: number
  readonly tools?: number
  /** The first lines on stdout that are not messages. */
  readonly strayLines: readonly string[]
  /** The last lines on stderr. */
  readonly stderr: readonly string[]
  /** How the server exited on its own: `with code 1` or `by SIGSEGV`. */
  readonly ended?: string
  readonly shutdown?: Shutdown
}

/** How a server exited after its stdin was closed. */
export interface Shutdown {
  readonly afterMs: number
  /** The signal that was needed to stop the server. */
  readonly signal?: 'SIGTERM' | 'SIGKILL'
  /** The child processes that were still running. They have been killed. */
  readonly left: readonly string[]
}

export interface TrialOptions {
  /** Whether the server runs in the harness, which reports how it serves. */
  readonly harness?: boolean
}

/** Starts a server, lists its tools as hosts do, and stops the server. Resolves even if the server fails. */
export async function runTrial(start: Start, options: TrialOptions = {}): Promise<Trial> {
  const { harness = false } = options
  const from = performance.now()
  let server: ServerProcess
  try {
    server = await ServerProcess.start(start, harness)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { notStarted: code ?? message, strayLines: [], stderr: [] }
  }
  try {
    return await observe(server, from)
  } finally {
    server.kill()
  }
}

/** Starts a server. Resolves to whether it responds. Kills it afterwards. */
export async function answers(start: Start, options: TrialOptions = {}): Promise<boolean> {
  let server: ServerProcess
  try {
    server = await ServerProcess.start(start, options.harness === true)
  } catch {
    return false
  }
  try {
    const answer = await server.request(Method.Initialize, initializeParams(), ANSWER_MS)
    return answer !== undefined || server.report?.serves === 'http'
  } finally {
    server.kill()
  }
}

async function observe(server: ServerProcess, from: number): Promise<Trial> {
  const { strayLines, stderr } = server
  const answer = await server.request(Method.Initialize, initializeParams(), ANSWER_MS)
  const answeredAfterMs = performance.now() - from
  if (server.report !== undefined) return { report: server.report, strayLines, stderr }
  if (answer === undefined)
    return { strayLines, stderr, ...(server.ended !== undefined && { ended: server.ended }) }
  const tools = await countTools(server, answer)
  const seen = {
    answer,
    answeredAfterMs,
    ...(tools !== undefined && { tools }),
    strayLines,
    stderr,
  }
  if (server.ended !== undefined) return { ...seen, ended: server.ended }
  return { ...seen, shutdown: await shutDown(server) }
}

/**
 * Returns the parameters of `initialize`, which is the first request from most hosts, in the newest revision
 * that has this method.
 */
function initializeParams(): Readonly<Record<string, unknown>> {
  const revision = REVISIONS.find(({ methods }) => methods.has(Method.Initialize))
  return {
    protocolVersion: revision?.version,
    capabilities: {},
    clientInfo: { name: 'jetway-cli', version: ownVersion() },
  }
}

/** Counts the tools. Resolves to undefined if the server has none or does not list them. */
async function countTools(server: ServerProcess, answer: JsonRpcResponse): Promise<number | undefined> {
  if (!('result' in answer)) return undefined
  server.notify(Notification.Initialized)
  const { tools } = (answer.result['capabilities'] ?? {}) as Readonly<Record<string, unknown>>
  if (tools === undefined) return undefined
  let count = 0
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const list = await server.request(Method.ListTools, cursor === undefined ? {} : { cursor }, ANSWER_MS)
    if (list === undefined || !('result' in list) || !Array.isArray(list.result['tools'])) return undefined
    count += list.result['tools'].length
    cursor = list.result['nextCursor']
    if (cursor === undefined) break
  }
  return count
}

async function shutDown(server: ServerProcess): Promise<Shutdown> {
  const { pid } = server
  const from = performance.now()
  server.endInput()
  await within(END_MS, server.exited)
  const signal = server.ended === undefined ? await stop(server) : undefined
  const afterMs = performance.now() - from
  // The child processes may take a moment longer to exit, for example if they are still reading from the process.
  const left = (await groupEnds(pid, Math.max(0, END_MS - afterMs))) ? [] : await namesLeft(pid)
  return { afterMs, left, ...(signal !== undefined && { signal }) }
}

async function namesLeft(pid: number): Promise<readonly string[]> {
  const names = await groupMembers(pid)
  return names.length === 0 ? [`a process of the group ${pid}`] : names
}

async function stop(server: ServerProcess): Promise<'SIGTERM' | 'SIGKILL'> {
  signalGroup(server.pid, 'SIGTERM')
  await within(SIGNAL_MS, server.exited)
  if (server.ended !== undefined) return 'SIGTERM'
  signalGroup(server.pid, 'SIGKILL')
  await within(SIGNAL_MS, server.exited)
  return 'SIGKILL'
}
