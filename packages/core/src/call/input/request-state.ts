import { busy, invalidParams, type McpError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import { digestOf, type PinnedResponse, type ResponsesByKey } from './inputs.ts'
import type { UsedStates } from '../../stores/used-states.ts'
import type { Clock } from '../../util/clock.ts'
import { attempt, type Awaitable } from '../../util/promises.ts'
import type { QuestionKind } from './question.ts'
import type { Random } from '../../util/random.ts'
import { createSealer, type Sealer, type SealKey } from '../../util/sealer.ts'

/** Options for `requestState`, which carries the state of a call from round to round. */
export interface RequestStateOptions {
  /**
   * Keys of 32 random bytes each, as bytes or base64. The first key encrypts states; every key can decrypt
   * them. To rotate keys, put a new key first, and remove the old key after `ttlMs`. Give all processes the
   * same keys. Without this option, each process creates its own key on first use, and rejects calls that
   * started in another process or before a restart.
   *
   * @default one random key
   */
  readonly keys?: readonly SealKey[]
  /** How long a client may take to answer a round, in ms. @default 600_000 */
  readonly ttlMs?: number
  /**
   * The maximum size of a state in characters, at least 1024. A call that needs a larger state cannot ask
   * more questions.
   *
   * @default 16_384
   */
  readonly maxBytes?: number
  /**
   * Whether a state is accepted only once. With several processes, also set the `shared` option; otherwise
   * each process remembers only its own states. If the reply is lost, the client must start the call again.
   * @default false
   */
  readonly singleUse?: boolean
  /**
   * The maximum number of used states that this process remembers with `singleUse` if `shared` is not set. When
   * the limit is exceeded, the principal with the most states loses its oldest one. From then on, every state
   * of that principal with the same or an earlier expiry counts as used, and the client must start the call
   * again. @default 10_000
   */
  readonly maxUsed?: number
}

export type RequestStateLimits = Required<Omit<RequestStateOptions, 'keys'>>

export const DEFAULT_STATE_LIMITS: RequestStateLimits = {
  ttlMs: 600_000,
  maxBytes: 16_384,
  singleUse: false,
  maxUsed: 10_000,
}

interface AskedQuestion {
  readonly pin: string
  readonly kind: QuestionKind
  /** The id in the question's URL, if the URL has one. */
  readonly id?: string | undefined
}

/** The state of a call when a round of questions is sent. */
export interface Round {
  /** The number of the round, starting at 1. */
  readonly number: number
  /** The responses of complete rounds. */
  readonly known: ResponsesByKey
  /** The responses of this round so far. */
  readonly partial: ResponsesByKey
  readonly asked: ReadonlyMap<string, AskedQuestion>
  /** The handler's state before this round. */
  readonly before?: string | undefined
  /** The handler's state after this round. */
  readonly after?: string | undefined
}

/**
 * Identifies the caller and the request for which a state was sealed. No other caller or request can use the
 * state.
 */
interface StateOwner {
  readonly principal: string
  readonly method: string
  readonly params: JsonObject
}

/** The number is the version of the state's layout. States with another version cannot be decrypted. */
const PURPOSE = 'request state 1'
/** The nonce in base64url, unique to each state. */
const NONCE_LENGTH = 16
/** Parameters that change from round to round. */
const ROUND_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

interface Packed extends Pick<Round, 'number' | 'before' | 'after'> {
  readonly expiresAt: number
  readonly known: readonly (readonly [string, PinnedResponse])[]
  readonly partial: readonly (readonly [string, PinnedResponse])[]
  readonly asked: readonly (readonly [string, AskedQuestion])[]
}

interface StateOptions extends Pick<RequestStateLimits, 'ttlMs' | 'maxBytes'> {
  /** The server's name. States from another server with the same keys cannot be decrypted. */
  readonly server: string
  readonly keys: readonly SealKey[] | undefined
  readonly clock: Clock
  readonly random: Random
  /** Undefined if a state may be used repeatedly. */
  readonly used: UsedStates | undefined
}

/**
 * Encrypts a call's state into the `requestState` that the client returns. The client can neither read nor
 * change the state. Until it expires, the state is accepted only from the same caller, for the same method,
 * parameters and server.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */
export class RequestStates {
  readonly #options: StateOptions
  #sealer: Sealer | undefined

  /** @throws `ERR_MCP_OPTION` for invalid keys */
  constructor(options: StateOptions) {
    this.#options = options
    if (options.keys !== undefined) this.#getSealer()
  }

  /** Returns undefined if the state would be too large. */
  async seal(round: Round, owner: StateOwner): Promise<string | undefined> {
    const { clock, ttlMs, maxBytes } = this.#options
    const packed: Packed = {
      ...round,
      expiresAt: clock.now() + ttlMs,
      known: [...round.known],
      partial: [...round.partial],
      asked: [...round.asked],
    }
    const sealed = await this.#getSealer().seal(PURPOSE, JSON.stringify(packed), await this.#context(owner))
    return sealed.length > maxBytes ? undefined : sealed
  }

  /**
   * @throws McpError with the same message for every invalid state, because a client must not learn the cause;
   * McpError "busy" if a store fails
   */
  async open(sealed: unknown, owner: StateOwner): Promise<Round> {
    if (typeof sealed !== 'string' || sealed.length > this.#options.maxBytes) throw badState()
    const text = await this.#getSealer().open(PURPOSE, sealed, await this.#context(owner))
    if (text === undefined) throw badState()
    const { expiresAt, ...round } = JSON.parse(text) as Packed
    if (expiresAt <= this.#options.clock.now() || !(await this.#take(sealed, expiresAt, owner)))
      throw badState()
    return {
      ...round,
      known: new Map(round.known),
      partial: new Map(round.partial),
      asked: new Map(round.asked),
    }
  }

  /** Marks a state as used. Returns false if the state has already been used. */
  #take(sealed: string, expiresAt: number, { principal }: StateOwner): Awaitable<boolean> {
    const { used } = this.#options
    if (used === undefined) return true
    return attempt(
      () => used.take(sealed.slice(0, NONCE_LENGTH), expiresAt, principal),
      () => {
        throw busy('The server cannot check the requestState, try again shortly')
      },
    )
  }

  #getSealer(): Sealer {
    const { random, keys } = this.#options
    return (this.#sealer ??= createSealer({ keys: keys ?? [random(32)], name: 'requestState.keys', random }))
  }

  async #context({ principal, method, params }: StateOwner): Promise<string> {
    const own = Object.entries(params).filter(([name]) => !ROUND_PARAMS.has(name))
    const digest = await digestOf(Object.fromEntries(own))
    return JSON.stringify([this.#options.server, principal, method, digest])
  }
}

const badState = (): McpError =>
  invalidParams('The requestState is not valid for this request: send the request again without it')
