import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { bytesOf, callFrame } from '@jetway-apps/test-support/http'
import { expect } from 'vitest'
import { inParallel, type Session, type SocketTarget } from './socket-target.ts'

/** A phase of an exchange in which clients may be slow. */
export interface Phase {
  readonly name: string
  readonly sockets: number
  /** The server's time limit, in ms. */
  readonly limitMs: number
  /** Returns the bytes to send immediately. If they are a whole request, the client does not read the reply. */
  readonly bytes: (session: Session) => string
  /** Whether to send one more byte every second. */
  readonly trickles: boolean
}

/** A size that exceeds the buffers at both ends, which grow to a few MB. */
const UNREAD_BYTES = 6_000_000
const TRICKLE_MS = 1_000

const call = (session: Session, tool: string, args: object): string =>
  bytesOf('/mcp', callFrame(tool, args), session)

/**
 * The phases. The limit for heads is set by this repository's apps, and the other limits by the mount. Only a
 * few clients read slowly, because sending large replies always delays other calls. Combined, these replies
 * are below one caller's `limits.queuedBytes`.
 */
export const PHASES: readonly Phase[] = [
  {
    name: 'a reply',
    sockets: 20,
    limitMs: 120_000,
    bytes: (session) => call(session, 'large', { bytes: UNREAD_BYTES }),
    trickles: false,
  },
  {
    name: 'a stream',
    sockets: 30,
    limitMs: 120_000,
    bytes: (session) => call(session, 'flood', { chunks: Math.ceil(UNREAD_BYTES / 65_536) }),
    trickles: false,
  },
  {
    name: 'the body',
    sockets: 475,
    limitMs: 30_000,
    bytes: (session) => bytesOf('/mcp', '{', { ...session, 'content-length': '1000' }),
    trickles: true,
  },
  {
    name: 'the head',
    sockets: 475,
    limitMs: 10_000,
    bytes: () => 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ',
    trickles: true,
  },
]

/** The sockets of one phase. */
export class SlowSockets {
  readonly phase: Phase
  readonly #target: SocketTarget
  readonly #sockets: Socket[] = []
  #trickle: ReturnType<typeof setInterval> | undefined
  #opened = 0

  constructor(phase: Phase, target: SocketTarget) {
    this.phase = phase
    this.#target = target
  }

  async open(): Promise<void> {
    const { sockets, bytes, trickles } = this.phase
    const session = await this.#target.open()
    await inParallel(sockets, 16, async () => {
      const socket = connect(this.#target.port, '127.0.0.1').on('error', () => {})
      if (trickles) socket.resume()
      this.#sockets.push(socket)
      await once(socket, 'connect')
      socket.write(bytes(session))
    })
    this.#opened = performance.now()
    if (!trickles) return
    this.#trickle = setInterval(() => {
      for (const socket of this.#sockets) if (socket.writable) socket.write('x')
    }, TRICKLE_MS)
  }

  /** Waits until the server has closed all sockets. Resolves to the time for which they were open, in ms. */
  async ended(lateMs: number): Promise<number> {
    const { limitMs, trickles } = this.phase
    // A client that does not read cannot detect the end.
    const left: () => number | Promise<number> = trickles
      ? () => this.#sockets.filter(({ destroyed }) => !destroyed).length
      : () => this.#target.strangers()
    const timeout = limitMs + lateMs - (performance.now() - this.#opened)
    await expect.poll(left, { timeout, interval: 500 }).toBe(0)
    return performance.now() - this.#opened
  }

  leave(): void {
    clearInterval(this.#trickle)
    for (const socket of this.#sockets) socket.destroy()
  }
}
