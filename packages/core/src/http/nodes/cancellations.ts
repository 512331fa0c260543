import type { RequestId } from '../../protocol/jsonrpc.ts'
import type { Session } from '../../session/session.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import { randomToken } from '../../util/random.ts'
import type { Peers } from './peers.ts'

/** How long the nodes have to say how many calls have an id, in ms. */
const COUNT_MS = 100
/** Rounds that wait for the nodes at the same time, on one mount; one more is dropped. */
const MAX_ROUNDS = 1_000
const ROUND_LENGTH = 12

/** The calls that may be meant, by node. */
type Round = Map<string, number>

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
    const round: Round = new Map([[own, session.callsWith(id)]])
    this.#rounds.set(name, round)
    void this.#peers.broadcast(key, { kind: 'count', id, round: name })
    clock.setTimeout(() => {
      this.#rounds.delete(name)
      const [first, ...others] = [...round].filter(([, calls]) => calls > 0)
      if (first === undefined || first[1] > 1 || others.length > 0) return
      const [node] = first
      if (node === own) session.cancel(id)
      else void this.#peers.send(node, key, { kind: 'cancel', id })
    }, COUNT_MS)
  }

  /** Takes the count of another node. */
  counted(name: string, node: string, calls: number): void {
    this.#rounds.get(name)?.set(node, calls)
  }
}
