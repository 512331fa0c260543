import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { Session } from '../../session/session.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import { randomToken } from '../../util/random.ts'
import type { Peers } from './peers.ts'

/** How long the nodes have to say how many calls have an id, in ms. */
const COUNT_MS = 100
/** How long a node that is busy may take, if no other one has a call with the id, in ms. */
const LATE_MS = 5_000
/** Rounds that wait for the nodes at the same time, on one mount; one more is dropped. */
const MAX_ROUNDS = 10_000
const ROUND_LENGTH = 12

/** One cancellation, until it is known which call it means. */
interface Round {
  readonly session: Session
  readonly key: SessionKey
  readonly id: RequestId
  /** The calls that may be meant, by node. */
  readonly calls: Map<string, number>
  /** The timer that drops it, once the nodes have had their time and none has such a call. */
  late?: unknown
}

/**
 * Cancels calls of a session on whichever node they run. Clients may use an id twice, and a cancellation that
 * could mean several calls ends none of them, so the nodes are asked first how many they run.
 */
export class Cancellations {
  readonly #peers: Peers
  readonly #rounds = new Map<string, Round>()

  constructor(peers: Peers) {
    this.#peers = peers
  }

  cancel(session: Session, key: SessionKey, id: RequestId): void {
    if (this.#rounds.size >= MAX_ROUNDS) return
    const { clock, random, id: own } = this.#peers
    const name = randomToken(ROUND_LENGTH, random)
    const count = session.callsWith(id)
    const round: Round = { session, key, id, calls: new Map(count > 0 ? [[own, count]] : []) }
    this.#rounds.set(name, round)
    void this.#peers.broadcast(key, { kind: 'count', id, round: name })
    clock.setTimeout(() => {
      if (round.calls.size > 0) this.#decide(name, round)
      else round.late = clock.setTimeout(() => this.#rounds.delete(name), LATE_MS)
    }, COUNT_MS)
  }

  /** Takes the count of another node. */
  counted(name: string, node: string, calls: number): void {
    const round = this.#rounds.get(name)
    if (round === undefined || calls === 0) return
    round.calls.set(node, calls)
    if (round.late === undefined) return
    const { clock } = this.#peers
    clock.clearTimeout(round.late)
    round.late = undefined
    // Others may be as busy as this one.
    clock.setTimeout(() => this.#decide(name, round), COUNT_MS)
  }

  #decide(name: string, { session, key, id, calls }: Round): void {
    this.#rounds.delete(name)
    const [first, ...others] = calls
    if (first === undefined || first[1] > 1 || others.length > 0) return
    const [node] = first
    if (node === this.#peers.id) session.cancel(id)
    else void this.#peers.send(node, key, { kind: 'cancel', id })
  }
}
