import type { ClientCapabilities } from '../../protocol/types.ts'
import type { Clock } from '../../util/clock.ts'
import type { SessionDraft } from '../../session/initialize.ts'
import { type Random, randomToken } from '../../util/random.ts'
import { type Sealer, sealedLength } from '../../util/sealer.ts'
import type { SessionKey, SessionRecord } from '../../stores/session-store.ts'
import { utf8Length } from '../../util/bytes.ts'

/** Characters of a session id, of any kind: what is longer is refused before it is looked at. */
const MAX_SESSION_ID = 1_024

/** Names the layout too: what another layout was sealed for does not open. */
const PURPOSE = 'session id 1'
const EPOCH_LENGTH = 12

export interface SealedIdsOptions {
  readonly sealer: Sealer
  /** The server whose sessions these are: those of another one with the same keys are unknown here. */
  readonly server: string
  /** How long after it was opened a session can be adopted, in ms. */
  readonly maxAgeMs: number
  /** Ended sessions of other processes to remember. The one that ended first is forgotten for another. */
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
 * Session ids that carry what a process needs to go on with a session that another one has opened. The principal is not
 * in them but bound to them, so that nobody else's caller can present one.
 */
export class SealedIds {
  readonly #options: SealedIdsOptions
  readonly #ended = new Map<string, number>()
  #epoch: string | undefined

  constructor(options: SealedIdsOptions) {
    this.#options = options
  }

  /** The id of a session that opens; undefined for a client that says too much of itself to be carried. */
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
   * The record of a session that another process has opened. One of this process that is not alive here has ended, and
   * so have those that were adopted and then closed.
   */
  async open(key: SessionKey): Promise<SessionRecord | undefined> {
    const { sealer, clock, maxAgeMs } = this.#options
    const text = await sealer.open(PURPOSE, key.id, this.#context(key.principal))
    if (text === undefined) return undefined
    const [epoch, createdAt, revision, listChanged, capabilities, info] = JSON.parse(text) as Packed
    if (epoch === this.#epoch || createdAt + maxAgeMs <= clock.now()) return undefined
    const client: Client = { capabilities, ...(info === null ? {} : { info }) } as Client
    // Its client has long said that it is initialized, and will not say so again.
    return { ...key, revision, client, initialized: true, createdAt, listChanged, subscriptions: [] }
  }

  /** Whether an adopted session has ended here since. */
  ended(id: string): boolean {
    return this.#ended.has(id)
  }

  /** From now on the session is unknown here, for as long as its id could be adopted. */
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

/** Icons and descriptions are for people to see, and long. */
function essentials(info: Client['info']): Client['info'] | null {
  if (info === undefined) return null
  const { name, version, title } = info
  return { name, version, ...(title === undefined ? {} : { title }) }
}
