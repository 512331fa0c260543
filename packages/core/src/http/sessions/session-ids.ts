import type { ClientCapabilities } from '../../protocol/types.ts'
import type { SessionDraft } from '../../session/initialize.ts'
import type { SessionKey, SessionRecord } from '../../stores/session-store.ts'
import { utf8Length } from '../../util/bytes.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { type Random, randomToken } from '../../util/random.ts'
import { ThrottledLog } from '../../util/throttled-log.ts'
import { type Sealer, sealedLength } from '../../util/sealer.ts'

/**
 * The length of the secret part, in characters of six random bits each. Only this part makes the id unguessable.
 */
const SECRET_LENGTH = 32
const MARK_LENGTH = 6
/** The length of the time in an id, in characters. The time is in seconds, in base 36. */
const TIME_LENGTH = 7
const ID = /^(?:[\w-]+\.)?[\w-]{32}([\w-]{6})([0-9a-z]{7})$/

const SEVERAL_PROCESSES =
  'A client sent a session id that another process of this server has issued, or another mount. It got 404, and has to begin again. Several processes need one of these: a proxy that routes by the header Mcp-Session-Id, stateless: true, sessions.seal with the same keys, or one sessions.store'

interface PlainIdsOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** The prefix of every id. */
  readonly prefix: string
}

/**
 * Issues ids for sessions that only this process knows. An id consists of a secret, a mark that identifies
 * the process, and the time when the session was opened. An unknown id therefore shows whether it was issued
 * by another process running at the same time, which indicates a configuration error, or before a restart of
 * this process.
 */
export class PlainIds {
  readonly #options: PlainIdsOptions
  readonly #several: ThrottledLog
  #own: { readonly mark: string; readonly since: number } | undefined

  constructor(options: PlainIdsOptions) {
    this.#options = options
    this.#several = new ThrottledLog(options.clock)
  }

  create(): string {
    const { mark } = this.#process()
    const secret = randomToken(SECRET_LENGTH, this.#options.random)
    // The parts are joined in one step, because V8 would retain the parts of a concatenated string.
    return [this.#options.prefix, secret, mark, encodeTime(this.#seconds())].join('')
  }

  /**
   * Logs, at most once every ten minutes, that another process has issued an unknown id after this process
   * started.
   */
  unknown(id: string): void {
    const { mark, since } = this.#process()
    const [, issuer, time = ''] = ID.exec(id) ?? []
    if (issuer === undefined || issuer === mark) return
    const issued = Number.parseInt(time, 36)
    if (issued <= since || issued > this.#seconds() + 1) return
    this.#several.log((skipped) => this.#options.logger.warn({ skipped }, SEVERAL_PROCESSES))
  }

  /**
   * Returns this process's mark, which is created on first use, because Workers cannot generate random
   * numbers before a request.
   */
  #process(): { readonly mark: string; readonly since: number } {
    return (this.#own ??= { mark: randomToken(MARK_LENGTH, this.#options.random), since: this.#seconds() })
  }

  #seconds(): number {
    return Math.floor(this.#options.clock.now() / 1_000)
  }
}

const encodeTime = (seconds: number): string => seconds.toString(36).padStart(TIME_LENGTH, '0')

/** The maximum length of a session id, in characters. The guard refuses longer ids. */
const MAX_SESSION_ID = 1_024

/** The purpose contains the name of the layout, so that ids with another layout cannot be decrypted. */
const PURPOSE = 'session id 1'
const EPOCH_LENGTH = 12

interface SealedIdsOptions {
  readonly sealer: Sealer
  /** The server's name. Sessions of another server with the same keys are unknown here. */
  readonly server: string
  readonly maxAgeMs: number
  /**
   * The maximum number of ended sessions that are remembered. Beyond it, the session that ended first is
   * forgotten.
   */
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
 * Issues session ids that allow another process to continue the session. An id is bound to the principal
 * without containing it, so that no other principal can use the id.
 */
export class SealedIds {
  readonly #options: SealedIdsOptions
  readonly #ended = new Map<string, number>()
  #epoch: string | undefined

  constructor(options: SealedIdsOptions) {
    this.#options = options
  }

  /** Returns the id for a new session, or undefined if the client's capabilities and name are too large. */
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
   * Returns the record of a session that another process opened. Returns undefined for a session that this
   * process opened: if such a session was not found in memory, it has ended.
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

  /** Returns whether a restored session has ended in this process. */
  ended(id: string): boolean {
    return this.#ended.has(id)
  }

  /** Remembers the end of a session until its id expires. */
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

/** Omits icons and descriptions, which are long. */
function essentials(info: Client['info']): Client['info'] | null {
  if (info === undefined) return null
  const { name, version, title } = info
  return { name, version, ...(title === undefined ? {} : { title }) }
}
