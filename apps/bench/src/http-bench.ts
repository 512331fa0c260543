import type { Contender } from './contenders.ts'
import { EventStream } from './load/event-stream.ts'
import { HttpConnection } from './load/http-connection.ts'
import { loadHttp, type HttpLane } from './load/http-load.ts'
import type { LoadResult } from './load/load-result.ts'
import { openSessions, post, type SessionHeaders } from './load/http-session.ts'
import { loadNotifications } from './load/notify-load.ts'
import { headerOf, type Reply } from './load/reply-reader.ts'
import { FIRST_ID, idCounter, messageWith, STANDING_VERSION } from './load/requests.ts'
import { interleave, type Measured, type Run, summarise, type Table, type Timing } from './measure.ts'
import { ServerProcess } from './server-process.ts'
import type { Answers } from './serving/messages.ts'
import { CREATE, type FORMS, LIST, resultOf, STRUCTURED, TEXT, type Workload } from './workloads.ts'

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
    const bench = await HttpBench.start(start === 0 ? contenders : contenders.filter(({ once }) => !once))
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
  readonly #sessions = new Map<ServerProcess, SessionHeaders[]>()

  private constructor(servers: readonly ServerProcess[]) {
    this.#servers = servers
  }

  /**
   * Starts the servers. Passes the responses of a Jetway contender to the bare servers, so that all servers
   * send the same bytes.
   */
  static async start(contenders: readonly Contender[]): Promise<HttpBench> {
    const servers = await Promise.all(contenders.map((contender) => ServerProcess.start(contender)))
    const bare = servers.filter(({ contender }) => contender.bare)
    const reference = servers.find(({ contender }) => contender.program.startsWith('jetway'))
    if (bare.length > 0 && reference !== undefined) {
      const answers = await collectAnswers(reference.port)
      for (const server of bare) await server.prepare(answers)
    }
    return new HttpBench(servers)
  }

  async measure(workload: Workload, connections: number, timing: Timing): Promise<Run[]> {
    const all: Measured[] = []
    for (const server of this.#servers)
      all.push({ server, load: await this.#loadOf(server, workload, connections) })
    return interleave(all, timing)
  }

  /** Compares a call without a session with the same call in a session, in the same processes. */
  async compareForms(
    { session, alone }: (typeof FORMS)[number],
    connections: number,
    timing: Timing,
  ): Promise<Run[]> {
    const all: Measured[] = []
    for (const server of this.#servers) {
      const { contender } = server
      all.push({ server, load: await this.#loadOf(server, session, connections) })
      all.push({
        server: {
          contender: {
            ...contender,
            name: `${contender.name}-alone`,
            title: `${contender.title}, ${STANDING_VERSION}`,
            base: contender.name,
          },
          cpuMicros: () => server.cpuMicros(),
        },
        load: await this.#loadOf(server, alone, connections),
      })
    }
    return interleave(all, timing)
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
      return await interleave(all, { ...timing, warmRequests: WARM_NOTIFICATIONS })
    } finally {
      for (const stream of open) stream.close()
    }
  }

  async #loadOf(server: ServerProcess, workload: Workload, connections: number): Promise<Measured['load']> {
    const needsSessions = workload !== CREATE && workload.headers === undefined
    const headers = needsSessions ? undefined : { ...server.headers, ...workload.headers }
    const sessions = await this.#sessionsOf(server, needsSessions ? connections : 0)
    const { bodyBytes, head } = await verified(server.port, workload, headers ?? sessions[0] ?? {})
    const tolerance = headerOf(head, 'content-type')?.startsWith('text/event-stream') ? LONGEST_COUNT : 0
    const nextId = idCounter()
    return (seconds: number): Promise<LoadResult> =>
      withConnections(server.port, connections, (opened) => {
        const lanes = opened.map((connection, index) =>
          createLane(connection, server.port, workload, headers ?? sessions[index] ?? {}, nextId),
        )
        return loadHttp(lanes, { seconds, bodyBytes, tolerance })
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

async function collectAnswers(port: number): Promise<Answers> {
  const [session = {}] = await openSessions(port, 1)
  const answers: Record<string, string> = {}
  for (const workload of [TEXT, STRUCTURED, LIST, CREATE]) {
    const reply = await verified(port, workload, workload === CREATE ? {} : session)
    answers[workload.answer] = reply.body()
  }
  return answers
}
