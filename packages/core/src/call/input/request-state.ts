import { invalidParams, type McpError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import { type PinnedResponse, type ResponsesByKey, digestOf } from './responses.ts'
import type { Clock } from '../../util/clock.ts'
import type { QuestionKind } from './question.ts'
import type { Random } from '../../util/random.ts'
import { createSealer, type Sealer, type SealKey } from '../../util/sealer.ts'

/** How what a call knows travels with its client from round to round. */
export interface RequestStateOptions {
  /**
   * The first key seals, every key opens: a new one is put in front, and the old one may go after `ttlMs`. Each is 32
   * random bytes, as they are or in base64. Without keys each process makes its own on first use, and a call that goes on
   * in another process, or after a restart, is refused: give the same keys to all of them.
   *
   * @default one random key
   */
  readonly keys?: readonly SealKey[]
  /** How long a client may take to come back with the answers of a round, in ms. @default 600_000 */
  readonly ttlMs?: number
  /** Characters that a state may have; a call that knows more cannot ask on. At least 1024. @default 16_384 */
  readonly maxBytes?: number
  /**
   * Whether a state opens a single time. Kept in the memory of this process: several nodes need something of their own,
   * such as a row that the handler claims. A client whose reply was lost on its way has to begin again. @default false
   */
  readonly singleUse?: boolean
  /**
   * Used states that are remembered with `singleUse`. For one more the first is forgotten, and with it every state that
   * expires no later counts as used: their clients have to begin again. @default 10_000
   */
  readonly maxUsed?: number
}

export interface RequestStateLimits {
  readonly ttlMs: number
  readonly maxBytes: number
  readonly singleUse: boolean
  readonly maxUsed: number
}

export const DEFAULT_STATE_LIMITS: RequestStateLimits = {
  ttlMs: 600_000,
  maxBytes: 16_384,
  singleUse: false,
  maxUsed: 10_000,
}

/** A question as a round remembers it. */
export interface AskedQuestion {
  readonly pin: string
  readonly kind: QuestionKind
  /** What was drawn for its address, if that asked for an id. */
  readonly id?: string | undefined
}

/** What is known when a round of questions goes out. */
export interface Round {
  /** 1 for the first. */
  readonly number: number
  /** Answers of the rounds that are complete. */
  readonly known: ResponsesByKey
  /** Answers of this round that are there while others are not. */
  readonly partial: ResponsesByKey
  /** What is asked now. */
  readonly asked: ReadonlyMap<string, AskedQuestion>
  /** The handler's own text that it asked with. */
  readonly before: string | undefined
  /** The handler's own text for when the round is complete. */
  readonly after: string | undefined
}

/** What a state belongs to: it opens for nothing else. */
export interface StateOwner {
  readonly principal: string
  readonly method: string
  readonly params: JsonObject
}

/** Names the layout too: what another layout was sealed for does not open. */
const PURPOSE = 'request state 1'
/** The nonce in base64url, of which no two states have the same. */
const NONCE_LENGTH = 16
/** What a client adds to a request when it sends it again. */
const OF_THE_ROUND: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState'])

type Packed = readonly [
  expiresAt: number,
  number: number,
  known: readonly (readonly [key: string, pin: string, response: JsonObject])[],
  partial: readonly (readonly [key: string, pin: string, response: JsonObject])[],
  asked: readonly (readonly [key: string, pin: string, kind: QuestionKind, id?: string])[],
  before: string | null,
  after: string | null,
]

interface StateOptions extends RequestStateLimits {
  /** The server's name: states of another one with the same keys do not open here. */
  readonly server: string
  readonly keys: readonly SealKey[] | undefined
  readonly clock: Clock
  readonly random: Random
}

/**
 * Seals what a call knows into the `requestState` that its client brings back: the client can neither read nor change it,
 * and it opens for the same caller, method, parameters and server only, until it expires.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */
export class RequestStates {
  readonly #options: StateOptions
  /** When each used state expires, by its nonce, in the order of use. */
  readonly #used = new Map<string, number>()
  /** States that expire by then count as used: which of them were is not remembered any more. */
  #forgotten = 0
  #sealer: Sealer | undefined

  /** @throws `ERR_MCP_OPTION` for keys that are none */
  constructor(options: StateOptions) {
    this.#options = options
    if (options.keys !== undefined) this.#sealer = this.#createSealer(options.keys)
  }

  /** Undefined for a round that knows more than a state may carry. */
  async seal(round: Round, owner: StateOwner): Promise<string | undefined> {
    const { clock, ttlMs, maxBytes } = this.#options
    const { number, known, partial, asked, before = null, after = null } = round
    const packed: Packed = [
      clock.now() + ttlMs,
      number,
      packAnswers(known),
      packAnswers(partial),
      [...asked].map(([key, { pin, kind, id }]) =>
        id === undefined ? [key, pin, kind] : [key, pin, kind, id],
      ),
      before,
      after,
    ]
    const sealed = await this.#ring().seal(PURPOSE, JSON.stringify(packed), await this.#context(owner))
    return sealed.length > maxBytes ? undefined : sealed
  }

  /** @throws McpError the same for every state that is not good here, whatever is wrong with it */
  async open(sealed: unknown, owner: StateOwner): Promise<Round> {
    if (typeof sealed !== 'string' || sealed.length > this.#options.maxBytes) throw badState()
    const text = await this.#ring().open(PURPOSE, sealed, await this.#context(owner))
    if (text === undefined) throw badState()
    const [expiresAt, number, known, partial, asked, before, after] = JSON.parse(text) as Packed
    if (expiresAt <= this.#options.clock.now() || !this.#take(sealed, expiresAt)) throw badState()
    return {
      number,
      known: unpackAnswers(known),
      partial: unpackAnswers(partial),
      asked: new Map(asked.map(([key, pin, kind, id]) => [key, { pin, kind, id }])),
      before: before ?? undefined,
      after: after ?? undefined,
    }
  }

  /** Whether a state may be used, which it then has been. */
  #take(sealed: string, expiresAt: number): boolean {
    const { singleUse, maxUsed, clock } = this.#options
    if (!singleUse) return true
    const nonce = sealed.slice(0, NONCE_LENGTH)
    if (expiresAt <= this.#forgotten || this.#used.has(nonce)) return false
    const now = clock.now()
    for (const [other, until] of this.#used) {
      if (until > now && this.#used.size < maxUsed) break
      this.#used.delete(other)
      this.#forgotten = Math.max(this.#forgotten, until)
    }
    this.#used.set(nonce, expiresAt)
    return true
  }

  #ring(): Sealer {
    return (this.#sealer ??= this.#createSealer([this.#options.random(32)]))
  }

  #createSealer(keys: readonly SealKey[]): Sealer {
    return createSealer({ keys, name: 'requestState.keys', random: this.#options.random })
  }

  async #context({ principal, method, params }: StateOwner): Promise<string> {
    const own = Object.entries(params).filter(([name]) => !OF_THE_ROUND.has(name))
    const digest = await digestOf(Object.fromEntries(own))
    return JSON.stringify([this.#options.server, principal, method, digest])
  }
}

const packAnswers = (answers: ResponsesByKey): Packed[2] =>
  [...answers].map(([key, { pin, response }]) => [key, pin, response])

const unpackAnswers = (packed: Packed[2]): ResponsesByKey =>
  new Map(packed.map(([key, pin, response]): [string, PinnedResponse] => [key, { pin, response }]))

const badState = (): McpError =>
  invalidParams('The requestState is not valid for this request: send the request anew, without it')
