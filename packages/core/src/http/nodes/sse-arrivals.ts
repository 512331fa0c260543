import { chain } from '../../util/promises.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import { messageEvent } from '../streams/sse-format.ts'
import type { SseWriter } from '../streams/sse-writer.ts'
import type { Peers } from './peers.ts'
import { IN_TRANSIT } from './remote-sse.ts'
import type { SseFrames } from './session-mail.ts'

/** Outlets that are remembered. A node has one for each time that it wakes the session. */
const MAX_OUTLETS = 64

/** A `RemoteSse` of another node. */
interface Outlet {
  readonly id: string
  readonly node: string
  /** Of its last mail. */
  seq: number
  /** UTF-16 units that have arrived, and those that were reported to the sender. */
  units: number
  reported: number
  reporting: boolean
}

export interface SseArrivalsOptions {
  readonly peers: Peers
  readonly key: SessionKey
  readonly writer: SseWriter
  /** Bytes that may wait for the client. */
  readonly limit: number
  /** More bytes wait. */
  readonly onOverflow: (bytes: number) => void
}

/** Writes frames of other nodes on an HTTP+SSE stream, and informs those nodes of how the client reads. */
export class SseArrivals {
  readonly #options: SseArrivalsOptions
  readonly #outlets = new Map<string, Outlet>()

  constructor(options: SseArrivalsOptions) {
    this.#options = options
  }

  receive(node: string, { outlet: id, seq, frames }: SseFrames): void {
    const { writer, limit, onOverflow } = this.#options
    const outlet = this.#outletOf(id, node)
    if (seq <= outlet.seq) return
    outlet.seq = seq
    for (const { frame, optional } of frames) {
      outlet.units += frame.length
      if (optional === true) writer.write(messageEvent(frame))
      else writer.writeAlways(messageEvent(frame))
    }
    if (writer.waitingBytes > limit) onOverflow(writer.waitingBytes)
    else if (frames.length === 0 || outlet.units - outlet.reported >= IN_TRANSIT / 2)
      void this.#report(outlet)
  }

  /** Reports to the sender how much has arrived, once the client keeps up. */
  async #report(outlet: Outlet): Promise<void> {
    if (outlet.reporting) return
    outlet.reporting = true
    const { peers, key, writer } = this.#options
    await chain(writer.pressure(), () => {})
    outlet.reporting = false
    if (writer.ending) return
    const { id, node, units } = outlet
    if (await peers.send(node, key, { kind: 'read', outlet: id, units })) outlet.reported = units
  }

  #outletOf(id: string, node: string): Outlet {
    const outlet = this.#outlets.get(id) ?? { id, node, seq: 0, units: 0, reported: 0, reporting: false }
    // The last one of the map is the latest.
    this.#outlets.delete(id)
    this.#outlets.set(id, outlet)
    const [oldest] = this.#outlets.keys()
    if (oldest !== undefined && this.#outlets.size > MAX_OUTLETS) this.#outlets.delete(oldest)
    return outlet
  }
}
