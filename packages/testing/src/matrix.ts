import type { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { afterEach, describe } from 'vitest'
import type { MatrixTransport, OpenTransport } from './matrix-transports.ts'
import { connectPeer, type PeerOptions, type TestConnection } from './peer.ts'

/** The revisions that have sessions, newest first. */
export const SESSION_REVISIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'legacy').map(
  ({ version }) => version,
)

const ALL_REVISIONS: readonly string[] = REVISIONS.map(({ version }) => version)

/** The options of {@link describeMatrix}. */
export interface MatrixOptions {
  /** @default every revision that Jetway supports */
  readonly revisions?: readonly string[]
  readonly transports: readonly MatrixTransport[]
}

/** One protocol revision over one transport. */
export interface Cell {
  readonly revision: string
  readonly transport: string
  /**
   * Starts the server if necessary, and opens a session if the revision has sessions. Closes both after each
   * test.
   */
  readonly connect: (server: McpServer, options?: Omit<PeerOptions, 'revision'>) => Promise<TestConnection>
}

/**
 * Runs the same tests in each revision over each transport that supports it.
 *
 * @returns the cells, so that a test can check that none is missing
 */
export function describeMatrix(
  name: string,
  options: MatrixOptions,
  define: (cell: Cell) => void,
): readonly Cell[] {
  const { revisions = ALL_REVISIONS, transports } = options
  const cells: Cell[] = []
  for (const revision of revisions) {
    for (const transport of transports) {
      if (transport.revisions !== undefined && !transport.revisions.includes(revision)) continue
      const bench = new Bench(revision, transport)
      cells.push(bench)
      describe(`${name}, ${revision} over ${transport.name}`, () => {
        afterEach(() => bench.clear())
        define(bench)
      })
    }
  }
  return cells
}

class Bench implements Cell {
  readonly revision: string
  readonly transport: string
  readonly #transport: MatrixTransport
  readonly #connections: TestConnection[] = []
  readonly #open = new Map<McpServer, Promise<OpenTransport>>()

  constructor(revision: string, transport: MatrixTransport) {
    this.revision = revision
    this.transport = transport.name
    this.#transport = transport
  }

  readonly connect = async (
    server: McpServer,
    options: Omit<PeerOptions, 'revision'> = {},
  ): Promise<TestConnection> => {
    let opening = this.#open.get(server)
    if (opening === undefined) {
      opening = Promise.resolve(this.#transport.open(server))
      this.#open.set(server, opening)
    }
    const transport = await opening
    const connection = await connectPeer(await transport.dial(), { ...options, revision: this.revision })
    this.#connections.push(connection)
    return connection
  }

  async clear(): Promise<void> {
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()))
    const opened = [...this.#open.values()]
    this.#open.clear()
    for (const transport of opened) await (await transport).close()
  }
}
