import type { Contender } from './contenders.ts'
import { EventStream } from './load/event-stream.ts'
import { HttpConnection } from './load/http-connection.ts'
import { type Client, type HttpLane, loadHttp } from './load/http-load.ts'
import type { LoadResult } from './load/load-result.ts'
import { openSessions, post, type SessionHeaders } from './load/http-session.ts'
import { loadNotifications } from './load/notify-load.ts'
import { headerOf, type Reply } from './load/reply-reader.ts'
import { FIRST_ID, idCounter, messageWith } from './load/requests.ts'
import { interleave, type Measured, type Run, type Timing, together } from './measure.ts'
import { ServerProcess } from './server-process.ts'
import { summarise, type Table } from './summary.ts'
import { CREATE, resultOf, type Workload } from './workloads.ts'

/** The number of warm-up notifications. Each is sent to all streams. */
const WARM_NOTIFICATIONS = 100
/** The maximum number of digits by which two events and their chunks may differ. */
const LONGEST_COUNT = 20

/** Measures one case. The timing contains the number of restarts. */
export async function measureHttp(
  { name, title }: Pick<Table, 'name' | 'title'>,
  contenders: readonly Contender[],
  timing: Timing,
  run: (bench: HttpBench) => Promise<Run[]>,
): Promise<Table> {
  const starts: Run[][] = []
  for (let start = 0; start < timing.starts; start++) {
    const started = start === 0 ? contenders : contenders.filter(({ once }) => !once)
    const bench = await HttpBench.start(started, `${name}-`)
    try {
      starts.push(await run(bench))
    } finally {
      await bench.stop()
    }
  }
  return { name, title, rows: summarise(starts) }
}

export const titleOf = ({ title }: Workload, connections: number): string =>
  `${title}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`

/** The HTTP servers of one case. */
export class HttpBench {
  readonly #servers: readonly ServerProcess[]
  readonly #profilePrefix: string
  readonly #sessions = new Map<ServerProcess, SessionHeaders[]>()

  private constructor(servers: readonly ServerProcess[], profilePrefix: string) {
    this.#servers = servers
    this.#profilePrefix = profilePrefix
  }

  /** @param profilePrefix - the common prefix of all profiles' file names */
  static async start(contenders: readonly Contender[], profilePrefix = ''): Promise<HttpBench> {
    const servers = await Promise.all(contenders.map((contender) => ServerProcess.start(contender)))
    return new HttpBench(servers, profilePrefix)
  }

  async measure(workload: Workload, connections: number, timing: Timing): Promise<Run[]> {
    return interleave(await this.#loads(workload, connections), this.#timed(timing))
  }

  /** Measures all servers at the same time. */
  async measureTogether(workload: Workload, connections: number, timing: Timing): Promise<Run[]> {
    return together(await this.#loads(workload, connections), this.#timed(timing))
  }

  /**
   * Measures one notification to many streams, each in its own session. Each request counted in the table is
   * one notification.
   */
  async measureNotifications(count: number, timing: Timing): Promise<Run[]> {
    const open: EventStream[] = []
    const all: Measured[] = []
    for (const server of this.#servers) {
      const streams: EventStream[] = []
      for (const headers of await this.#sessionsOf(server, count))
        streams.push(await EventStream.open(server.port, headers))
      open.push(...streams)
      const notify = (): void => server.notify()
      all.push({ server, load: (seconds) => loadNotifications(streams, { seconds, notify }) })
    }
    try {
      return await interleave(all, { ...this.#timed(timing), warmRequests: WARM_NOTIFICATIONS })
    } finally {
      for (const stream of open) stream.close()
    }
  }

  #timed({ profilePath, ...timing }: Timing): Timing {
    return profilePath === undefined ? timing : { ...timing, profilePath: profilePath + this.#profilePrefix }
  }

  async #loads(workload: Workload, connections: number): Promise<Measured[]> {
    await this.#prepareBare(workload)
    const all: Measured[] = []
    for (const server of this.#servers)
      all.push({ server, load: await this.#loadOf(server, workload, connections) })
    return all
  }

  /** Passes a Jetway server's response to the bare servers, so that all servers send the same bytes. */
  async #prepareBare(workload: Workload): Promise<void> {
    const bare = this.#servers.filter(({ contender }) => contender.bare)
    const reference = this.#servers.find(({ contender }) => contender.program.startsWith('jetway'))
    if (bare.length === 0 || reference === undefined) return
    const [session = {}] = await this.#sessionsOf(reference, needsSession(workload) ? 1 : 0)
    const reply = await verified(reference.port, workload, { ...session, ...workload.headers })
    for (const server of bare) await server.prepare({ [workload.answer]: reply.body() })
  }

  async #loadOf(server: ServerProcess, workload: Workload, connections: number): Promise<Measured['load']> {
    const headers = needsSession(workload) ? undefined : { ...server.headers, ...workload.headers }
    const sessions = await this.#sessionsOf(server, headers === undefined ? connections : 0)
    const { bodyBytes, head } = await verified(server.port, workload, headers ?? sessions[0] ?? {})
    const tolerance = headerOf(head, 'content-type')?.startsWith('text/event-stream') ? LONGEST_COUNT : 0
    const nextId = idCounter()
    return (seconds: number, client?: Client): Promise<LoadResult> =>
      withConnections(server.port, connections, (opened) => {
        const lanes = opened.map((connection, index) =>
          createLane(connection, server.port, workload, headers ?? sessions[index] ?? {}, nextId),
        )
        return loadHttp(lanes, { seconds, bodyBytes, tolerance, ...(client !== undefined && { client }) })
      })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  async #sessionsOf(server: ServerProcess, count: number): Promise<SessionHeaders[]> {
    const sessions = this.#sessions.get(server) ?? []
    sessions.push(...(await openSessions(server.port, Math.max(0, count - sessions.length), server.headers)))
    this.#sessions.set(server, sessions)
    return sessions.slice(0, count)
  }
}

const needsSession = (workload: Workload): boolean => workload !== CREATE && workload.headers === undefined

/** Opens new connections for each run, because some servers close idle connections after five seconds. */
async function withConnections<T>(
  port: number,
  count: number,
  use: (connections: readonly HttpConnection[]) => Promise<T>,
): Promise<T> {
  const connections = await Promise.all(Array.from({ length: count }, () => HttpConnection.open(port)))
  try {
    return await use(connections)
  } finally {
    for (const connection of connections) connection.close()
  }
}

function createLane(
  connection: HttpConnection,
  port: number,
  { message }: Workload,
  session: SessionHeaders,
  nextId: () => number,
): HttpLane {
  // The head is built once, because all ids have the same number of digits.
  const [before = '', after = ''] = post(port, session, messageWith(message, FIRST_ID)).split(
    String(FIRST_ID),
  )
  return { connection, next: () => before + nextId() + after }
}

/** Sends one request and checks its response. */
async function verified(port: number, workload: Workload, session: SessionHeaders): Promise<Reply> {
  const reply = await withConnections(port, 1, ([connection]) =>
    (connection as HttpConnection).exchange(post(port, session, messageWith(workload.message, FIRST_ID))),
  )
  if (reply.status !== 200)
    throw new Error(`${workload.title}: ${reply.status} ${reply.body().slice(0, 300)}`)
  workload.verify(resultOf(reply.body(), FIRST_ID))
  return reply
}
