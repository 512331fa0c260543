import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { Session } from '../../session/session.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import { randomToken } from '../../util/random.ts'
import { Deadlines, type Due } from '../../util/timers.ts'
import type { Peers } from './peers.ts'

/** How long the nodes have to say how many calls have an id, in ms. */
const COUNT_MS = 100
/** How long a node that is busy may take, if no other one has a call with the id, in ms. */
const LATE_MS = 5_000
/** Rounds that wait for the nodes at the same time, on one mount; one more is dropped. */
const MAX_ROUNDS = 10_000
const ROUND_LENGTH = 12

/** One cancellation, until it is known which call it means. */
interface Round extends Due {
  readonly session: Session
  readonly key: SessionKey
  readonly id: RequestId
  /** The calls that may be meant, by node. */
  readonly calls: Map<string, number>
  /** The nodes have had their time, and none had such a call. */
  isLate: boolean
}

/**
 * Cancels calls of a session on whichever node they run. Clients may use an id twice, and a cancellation that
 * could mean several calls ends none of them, so the nodes are asked first how many they run.
 */
export class Cancellations {
  readonly #peers: Peers
  readonly #rounds = new Map<string, Round>()
  readonly #counting: Deadlines
  readonly #late: Deadlines

  constructor(peers: Peers) {
    this.#peers = peers
    this.#counting = new Deadlines(peers.clock, COUNT_MS)
    this.#late = new Deadlines(peers.clock, LATE_MS)
  }

  cancel(session: Session, key: SessionKey, id: RequestId): void {
    if (this.#rounds.size >= MAX_ROUNDS) return
    const name = randomToken(ROUND_LENGTH, this.#peers.random)
    const count = session.callsWith(id)
    const round: Round = {
      session,
      key,
      id,
      calls: new Map(count > 0 ? [[this.#peers.id, count]] : []),
      isLate: false,
      deadline: undefined,
      due: () => this.#due(name, round),
    }
    this.#rounds.set(name, round)
    this.#counting.add(round)
    void this.#peers.broadcast(key, { kind: 'count', id, round: name })
  }

  /** Takes the count of another node. Nodes without such a call send none. */
  counted(name: string, node: string, calls: number): void {
    const round = this.#rounds.get(name)
    if (round === undefined) return
    round.calls.set(node, calls)
    if (!round.isLate) return
    // Others may be as busy as this one.
    round.isLate = false
    this.#late.remove(round)
    this.#counting.add(round)
  }

  /** Drops the cancellations that wait: all calls here have ended. */
  close(): void {
    this.#rounds.clear()
    this.#counting.clear()
    this.#late.clear()
  }

  #due(name: string, round: Round): void {
    if (round.calls.size > 0 || round.isLate) this.#decide(name, round)
    else {
      round.isLate = true
      this.#late.add(round)
    }
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
