import type { SessionKey } from '../../stores/session-store.ts'
import { type Deferred, deferred } from '../../util/promises.ts'
import { randomToken } from '../../util/random.ts'
import type { SseOutlet } from '../legacy-sse/sse-conversation.ts'
import type { Peers } from './peers.ts'
import type { SseFrame } from './session-mail.ts'

/** Characters, of six random bits each. */
const ID_LENGTH = 8
/** UTF-16 units that may be in transit between the nodes. They do not count as waiting for the client. */
export const IN_TRANSIT = 65_536
/** UTF-16 units of one piece of mail. One frame alone may exceed it. */
const MAX_MAIL = 262_144
/** How long a handler waits for a client that reads slowly, before it tries again, in ms. */
const PATIENCE_MS = 5_000
/** How long a request waits until the node of the stream says that the client keeps up, in ms. */
const CATCH_UP_MS = 1_000

export interface RemoteSseOptions {
  readonly peers: Peers
  readonly key: SessionKey
  /** The node that writes the stream. */
  readonly node: string
  /** Notifications are dropped while more bytes than this wait. */
  readonly outboundLimit: number
  /** A notification was dropped. */
  readonly onOverflow: (frame: string) => void
  /** The frames cannot be sent to the node. */
  readonly onLost: () => void
}

/** The event stream of an HTTP+SSE client whose connection another node has. */
export class RemoteSse implements SseOutlet {
  /** Random. The node of the stream counts the frames of each outlet apart. */
  readonly id: string
  readonly #options: RemoteSseOptions
  #waiting: SseFrame[] = []
  #sending: Promise<void> | undefined
  #seq = 0
  /** UTF-16 units of all frames, and of those that the client keeps up with. */
  #sent = 0
  #read = 0
  #waiter: Deferred | undefined
  #closed = false

  constructor(options: RemoteSseOptions) {
    this.#options = options
    this.id = randomToken(ID_LENGTH, options.peers.random)
  }

  get node(): string {
    return this.#options.node
  }

  get waitingBytes(): number {
    const unread = this.#sent - this.#read
    return unread <= IN_TRANSIT ? 0 : unread
  }

  send(frame: string): void | Promise<void> {
    const waiting = this.waitingBytes
    if (waiting > 0 && waiting + frame.length > this.#options.outboundLimit) this.#options.onOverflow(frame)
    else this.#push({ frame, optional: true })
    return this.waitingBytes > 0 ? this.#caughtUp(PATIENCE_MS) : undefined
  }

  respond(frame: string): void {
    this.#push({ frame })
  }

  flushed(): Promise<void> | undefined {
    return this.#sending
  }

  /** @param units - the client keeps up with the first so many */
  read(units: number): void {
    this.#read = Math.max(this.#read, Math.min(units, this.#sent))
    if (this.waitingBytes === 0) this.#release()
  }

  /** Asks the node how much the client has read, and waits a moment for the reply. */
  catchUp(): Promise<void> {
    this.#begin([])
    return this.#caughtUp(CATCH_UP_MS)
  }

  /** Drops what is not sent yet, and everything later. */
  close(): void {
    this.#closed = true
    this.#waiting = []
    this.#release()
  }

  #push(frame: SseFrame): void {
    if (this.#closed) return
    this.#sent += frame.frame.length
    this.#waiting.push(frame)
    if (this.#sending === undefined) this.#begin(this.#take())
  }

  #begin(frames: readonly SseFrame[]): void {
    if (this.#sending !== undefined || this.#closed) return
    this.#sending = this.#sendAll(frames).finally(() => {
      this.#sending = undefined
    })
  }

  /** One piece of mail after the other, so that frames keep their order. Those that come meanwhile are one. */
  async #sendAll(first: readonly SseFrame[]): Promise<void> {
    const { peers, node, key } = this.#options
    let frames = first
    do {
      const mail = { kind: 'frames', outlet: this.id, seq: ++this.#seq, frames } as const
      if (!(await peers.sendSurely(node, key, mail))) {
        this.close()
        this.#options.onLost()
      }
      frames = this.#take()
    } while (frames.length > 0)
  }

  #take(): readonly SseFrame[] {
    let count = 0
    let units = 0
    for (const { frame } of this.#waiting) {
      if (count > 0 && units + frame.length > MAX_MAIL) break
      units += frame.length
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #caughtUp(patienceMs: number): Promise<void> {
    const { clock } = this.#options.peers
    const waiter = (this.#waiter ??= deferred())
    let timer: unknown
    const late = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, patienceMs)
    })
    await Promise.race([waiter.promise, late])
    clock.clearTimeout(timer)
  }

  #release(): void {
    this.#waiter?.resolve()
    this.#waiter = undefined
  }
}
