import type { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { afterEach, describe } from 'vitest'
import type { Door, OpenDoor } from './doors.ts'
import { connectPeer, type PeerOptions, type TestConnection } from './peer.ts'

/** The revisions that have sessions, newest first: what the server may ask, `ping`, subscriptions by request. */
export const SESSION_REVISIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'legacy').map(
  ({ version }) => version,
)

const ALL_REVISIONS: readonly string[] = REVISIONS.map(({ version }) => version)

/** What {@link describeMatrix} goes through. */
export interface MatrixOptions {
  /** @default every revision that Jetway serves */
  readonly revisions?: readonly string[]
  readonly doors: readonly Door[]
}

/** One revision over one door. */
export interface Cell {
  readonly revision: string
  readonly door: string
  /** Serves the server, unless this cell does already, and opens a session where the revision has sessions. All is closed after each test. */
  readonly connect: (server: McpServer, options?: Omit<PeerOptions, 'revision'>) => Promise<TestConnection>
}

/**
 * Describes the same behaviour for each revision over each door that can carry it.
 *
 * @returns the cells, so that a test can assert that none is missing
 */
export function describeMatrix(
  name: string,
  options: MatrixOptions,
  define: (cell: Cell) => void,
): readonly Cell[] {
  const { revisions = ALL_REVISIONS, doors } = options
  const cells: Cell[] = []
  for (const revision of revisions) {
    for (const door of doors) {
      if (door.revisions !== undefined && !door.revisions.includes(revision)) continue
      const bench = new Bench(revision, door)
      cells.push(bench)
      describe(`${name}, ${revision} over ${door.name}`, () => {
        afterEach(() => bench.clear())
        define(bench)
      })
    }
  }
  return cells
}

class Bench implements Cell {
  readonly revision: string
  readonly door: string
  readonly #door: Door
  readonly #connections: TestConnection[] = []
  readonly #open = new Map<McpServer, Promise<OpenDoor>>()

  constructor(revision: string, door: Door) {
    this.revision = revision
    this.door = door.name
    this.#door = door
  }

  readonly connect = async (
    server: McpServer,
    options: Omit<PeerOptions, 'revision'> = {},
  ): Promise<TestConnection> => {
    let opening = this.#open.get(server)
    if (opening === undefined) {
      opening = Promise.resolve(this.#door.open(server))
      this.#open.set(server, opening)
    }
    const door = await opening
    const connection = await connectPeer(await door.dial(), { ...options, revision: this.revision })
    this.#connections.push(connection)
    return connection
  }

  async clear(): Promise<void> {
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()))
    const opened = [...this.#open.values()]
    this.#open.clear()
    for (const door of opened) await (await door).close()
  }
}
