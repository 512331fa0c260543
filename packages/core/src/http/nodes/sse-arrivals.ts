import { chain } from '../../util/promises.ts'
import type { SessionKey } from '../../stores/session-store.ts'
import { messageEvent } from '../streams/sse-format.ts'
import type { SseWriter } from '../streams/sse-writer.ts'
import type { Peers } from './peers.ts'
import { IN_TRANSIT } from './remote-sse.ts'
import type { SseFrames } from './session-mail.ts'

/** Ways that are remembered. A node has one for each time that it wakes the session. */
const MAX_WAYS = 64

interface Way {
  readonly node: string
  seq: number
  /** UTF-16 units that have arrived, and those that the sender knows of. */
  units: number
  told: number
  telling: boolean
}

export interface SseArrivalsOptions {
  readonly peers: Peers
  readonly key: SessionKey
  readonly writer: SseWriter
  /** Bytes that may wait for the client. */
  readonly limit: number
  /** More waits. */
  readonly onOverflow: (bytes: number) => void
}

/** Writes frames of other nodes on an HTTP+SSE stream, and informs those nodes of how the client reads. */
export class SseArrivals {
  readonly #options: SseArrivalsOptions
  readonly #ways = new Map<string, Way>()

  constructor(options: SseArrivalsOptions) {
    this.#options = options
  }

  receive(node: string, { way: name, seq, frames }: SseFrames): void {
    const { writer, limit, onOverflow } = this.#options
    const way = this.#wayOf(name, node)
    if (seq <= way.seq) return
    way.seq = seq
    for (const { frame, optional } of frames) {
      way.units += frame.length
      if (optional === true) writer.write(messageEvent(frame))
      else writer.writeAlways(messageEvent(frame))
    }
    if (writer.waitingBytes > limit) onOverflow(writer.waitingBytes)
    else if (frames.length === 0 || way.units - way.told >= IN_TRANSIT / 2) void this.#tell(name, way)
  }

  /** Tells the sender how much has arrived, once the client keeps up. */
  async #tell(name: string, way: Way): Promise<void> {
    if (way.telling) return
    way.telling = true
    const { peers, key, writer } = this.#options
    await chain(writer.pressure(), () => {})
    way.telling = false
    if (writer.ending) return
    const { units, node } = way
    if (await peers.send(node, key, { kind: 'read', way: name, units })) way.told = units
  }

  #wayOf(name: string, node: string): Way {
    const way = this.#ways.get(name) ?? { node, seq: 0, units: 0, told: 0, telling: false }
    // The last one of the map is the latest.
    this.#ways.delete(name)
    this.#ways.set(name, way)
    const [oldest] = this.#ways.keys()
    if (oldest !== undefined && this.#ways.size > MAX_WAYS) this.#ways.delete(oldest)
    return way
  }
}
