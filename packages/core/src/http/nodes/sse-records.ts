import { revisionOf } from '../../protocol/revisions/index.ts'
import { answerInitialize, type InitializeInput } from '../../session/initialize.ts'
import { Session } from '../../session/session.ts'
import type { SessionKey, SessionRecord, StoredSession } from '../../stores/session-store.ts'
import type { Clock } from '../../util/clock.ts'
import { Outstanding } from '../../util/outstanding.ts'
import type { ServedServer } from '../served-server.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { SharedRecord, type SharedRecords, storedMs } from '../sessions/shared-record.ts'
import { fromStore } from '../streams/store-failure.ts'
import type { SessionNetwork } from './session-link.ts'

/** The answer to `initialize`, and the session that it has opened, with the version of its record. */
export interface SharedOpening {
  readonly frame: string
  readonly opened: { readonly session: Session; readonly version: string } | undefined
}

/**
 * The records of HTTP+SSE sessions. A record begins with its stream and names the node that writes it;
 * `initialize`, at any node, completes it; it ends with its stream.
 */
export class SseRecords {
  readonly network: SessionNetwork
  readonly #table: SessionTable
  readonly #shared: SharedRecords
  readonly #clock: Clock
  /** Records that are being deleted. */
  readonly #ending: Outstanding

  constructor(
    table: SessionTable,
    { network, shared }: { readonly network: SessionNetwork; readonly shared: SharedRecords },
  ) {
    this.#table = table
    this.network = network
    this.#shared = shared
    this.#clock = shared.clock
    this.#ending = new Outstanding(shared.clock)
  }

  /**
   * Stores the record of a stream that this node writes.
   *
   * @throws StoreFailure
   */
  async create(key: SessionKey): Promise<StoredSession> {
    const record: SessionRecord = {
      ...key,
      revision: '',
      client: { capabilities: {} },
      initialized: false,
      createdAt: this.#clock.now(),
      listChanged: [],
      subscriptions: [],
      transport: 'sse',
      stream: { node: this.network.peers.id },
    }
    return { record, version: (await this.#table.create(record)) ?? '' }
  }

  /** @throws StoreFailure */
  async read(key: SessionKey): Promise<StoredSession | undefined> {
    await fromStore(() => this.network.peers.ready())
    const stored = await fromStore(() => this.#shared.store.get(key))
    return stored?.record.transport === 'sse' ? stored : undefined
  }

  /**
   * Answers `initialize`, and completes the record. Resolves to undefined if the record has ended, or another
   * `initialize` was first.
   *
   * @throws StoreFailure
   */
  async open(
    server: ServedServer,
    request: Omit<InitializeInput, 'principal' | 'id'>,
    { record: draft, version: before }: StoredSession,
  ): Promise<SharedOpening | undefined> {
    const { principal, id } = draft
    const result = await answerInitialize(server.runtime, { ...request, principal, id })
    const { frame, record } = result
    if (record === undefined) return { frame, opened: undefined }
    const { transport, stream, createdAt } = draft
    const complete: SessionRecord = {
      ...record,
      createdAt,
      ...(transport !== undefined && { transport }),
      ...(stream !== undefined && { stream }),
    }
    const ttlMs = storedMs(this.#shared.ttlMs(complete))
    const version = await fromStore(() => this.#shared.store.replace(complete, before, ttlMs))
    if (version === undefined) return undefined
    return { frame, opened: { session: new Session(server.runtime, complete, result.revision), version } }
  }

  /** The session of a record; undefined if the server does not serve its revision. */
  sessionOf({ record }: StoredSession, server: ServedServer): Session | undefined {
    const revision = revisionOf(record.revision)
    if (revision === undefined || !server.served.includes(revision)) return undefined
    return new Session(server.runtime, record, revision)
  }

  keep(session: Session, version: string): SharedRecord {
    return new SharedRecord(this.#shared, session, version)
  }

  /** Deletes a record whose stream has ended, and informs the other nodes. */
  end(key: SessionKey): void {
    this.#ending.begin()
    const sent = this.network.peers.broadcast(key, { kind: 'ended' })
    void Promise.all([this.#table.delete(key), sent]).finally(() => this.#ending.end())
  }

  /** Resolves when all records are deleted that have ended, or after 1 s. */
  flushed(): Promise<void> {
    return this.#ending.flushed()
  }
}
