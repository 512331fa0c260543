import type { ClientCapabilities } from '../../protocol/types.ts'
import type { Clock } from '../../util/clock.ts'
import type { SessionDraft } from '../../session/initialize.ts'
import { type Random, randomToken } from '../../util/random.ts'
import { type Sealer, sealedLength } from '../../util/sealer.ts'
import type { SessionKey, SessionRecord } from '../../stores/session-store.ts'
import { utf8Length } from '../../util/bytes.ts'

/** Characters of a session id: the guard refuses longer ones. */
const MAX_SESSION_ID = 1_024

/** Names the layout too, so that ids of another layout do not open. */
const PURPOSE = 'session id 1'
const EPOCH_LENGTH = 12

export interface SealedIdsOptions {
  readonly sealer: Sealer
  /** The name of the server: sessions of another server with the same keys are unknown here. */
  readonly server: string
  readonly maxAgeMs: number
  /** Ended sessions of other processes to remember. A new one replaces the one that ended first. */
  readonly maxEnded: number
  readonly clock: Clock
  readonly random: Random
}

type Lists = SessionRecord['listChanged']
type Client = SessionRecord['client']
type Packed = readonly [
  epoch: string,
  createdAt: number,
  revision: string,
  lists: Lists,
  capabilities: ClientCapabilities,
  info: Client['info'] | null,
]

/**
 * Session ids with which a process can continue a session that another process has opened. An id does not
 * contain the principal but is bound to it, so that no other principal can use the id.
 */
export class SealedIds {
  readonly #options: SealedIdsOptions
  readonly #ended = new Map<string, number>()
  #epoch: string | undefined

  constructor(options: SealedIdsOptions) {
    this.#options = options
  }

  /** The id of a new session; undefined if the client's capabilities and name do not fit. */
  async seal(draft: SessionDraft): Promise<string | undefined> {
    const { sealer, random } = this.#options
    const { createdAt, revision, listChanged, client } = draft
    this.#epoch ??= randomToken(EPOCH_LENGTH, random)
    const packed: Packed = [
      this.#epoch,
      createdAt,
      revision,
      listChanged,
      client.capabilities,
      essentials(client.info),
    ]
    const text = JSON.stringify(packed)
    if (sealedLength(utf8Length(text)) > MAX_SESSION_ID) return undefined
    return sealer.seal(PURPOSE, text, this.#context(draft.principal))
  }

  /**
   * The record of a session that another process has opened. Undefined for a session of this process: the
   * caller has not found it, so it has ended.
   */
  async open(key: SessionKey): Promise<SessionRecord | undefined> {
    const { sealer, clock, maxAgeMs } = this.#options
    const text = await sealer.open(PURPOSE, key.id, this.#context(key.principal))
    if (text === undefined) return undefined
    const [epoch, createdAt, revision, listChanged, capabilities, info] = JSON.parse(text) as Packed
    if (epoch === this.#epoch || createdAt + maxAgeMs <= clock.now()) return undefined
    const client: Client = { capabilities, ...(info === null ? {} : { info }) } as Client
    // The client has sent `notifications/initialized` to the other process.
    return { ...key, revision, client, initialized: true, createdAt, listChanged, subscriptions: [] }
  }

  /** Whether a restored session has ended here. */
  ended(id: string): boolean {
    return this.#ended.has(id)
  }

  /** Remembers the end of a session, until its id would not open any more. */
  end(id: string): void {
    const { clock, maxAgeMs, maxEnded } = this.#options
    const now = clock.now()
    for (const [other, until] of this.#ended) {
      if (until > now && this.#ended.size < maxEnded) break
      this.#ended.delete(other)
    }
    this.#ended.set(id, now + maxAgeMs)
  }

  #context(principal: string): string {
    return JSON.stringify([this.#options.server, principal])
  }
}

/** Leaves out icons and descriptions, which are long. */
function essentials(info: Client['info']): Client['info'] | null {
  if (info === undefined) return null
  const { name, version, title } = info
  return { name, version, ...(title === undefined ? {} : { title }) }
}
