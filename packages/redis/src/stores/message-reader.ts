import { setTimeout as sleep } from 'node:timers/promises'
import {
  type RedisConnection,
  type RedisReader,
  type RedisReply,
  withDeadline,
} from '../connection/connection.ts'

/** How long a read waits for a message, in ms. */
const BLOCK_MS = 2_000
/** How long a read may take in total, in ms. */
const READ_MS = BLOCK_MS + 1_500
/** Messages of one read and stream. */
const COUNT = 100
/** The waits before a reconnect, in ms. */
const FIRST_WAIT_MS = 50
const LAST_WAIT_MS = 1_000

/** How long a caller waits for the first read, in ms. */
const SOON_MS = 1_000

/** The position before the first message of a stream. */
const START = '0-0'

type Fields = Readonly<Record<string, string>>
type Entry = readonly [id: string, fields: readonly string[]]

/** A Redis Stream that this node reads. */
export interface MessageStream {
  readonly key: string
  receive(fields: Fields): void
  /** Messages may be missing. */
  lost?(): void
  /** The connection is new. */
  connected?(): void
}

interface Reading {
  readonly stream: MessageStream
  /** The last message that was read. */
  at: string | undefined
  /** When reading was requested, by `performance.now()`. */
  readonly since: number
}

/**
 * Reads the inbox of this node and the bus, over one connection that blocks. A Redis Stream keeps its messages, so a
 * reconnect loses none that are not trimmed.
 */
export class MessageReader {
  readonly #connection: RedisConnection
  readonly #onError: (error: unknown) => void
  readonly #readings = new Map<string, Reading>()
  #running: AbortController | undefined
  #ready: Promise<void> = Promise.resolve()

  constructor(connection: RedisConnection, onError: (error: unknown) => void) {
    this.#connection = connection
    this.#onError = onError
  }

  /** Resolves when every message from now on arrives. */
  async ready(): Promise<void> {
    let ready
    do {
      ready = this.#ready
      await ready
      // Another run may have replaced the one that was waited for.
    } while (ready !== this.#ready)
  }

  /** Like {@link ready}, but waits for 1 s at most. Messages that are missed then count as lost. */
  async soon(): Promise<void> {
    await withDeadline(this.ready(), SOON_MS).catch(() => {})
  }

  /** The last message of a stream that was read. */
  positionOf(key: string): string {
    return this.#readings.get(key)?.at ?? START
  }

  /**
   * Reads a stream. All have one slot.
   *
   * @param from - the position to begin after. @default the end
   * @returns the function that stops it
   */
  read(stream: MessageStream, from?: typeof START): () => void {
    this.#readings.set(stream.key, { stream, at: from, since: performance.now() })
    this.#restart()
    return () => {
      if (this.#readings.get(stream.key)?.stream !== stream) return
      this.#readings.delete(stream.key)
      this.#restart()
    }
  }

  /** Ends the waiting read, which has the streams of before, and starts one with those of now. */
  #restart(): void {
    this.#running?.abort()
    if (this.#readings.size === 0) return
    const running = new AbortController()
    this.#running = running
    this.#ready = new Promise((resolve) => void this.#run(running.signal, resolve))
  }

  async #run(signal: AbortSignal, positioned: () => void): Promise<void> {
    let wait = FIRST_WAIT_MS
    while (!signal.aborted) {
      const [key = ''] = this.#readings.keys()
      const reader = this.#connection.reader(key)
      const close = (): void => reader.close()
      signal.addEventListener('abort', close)
      try {
        await this.#checkAll(reader, signal)
        if (!signal.aborted) for (const { stream } of this.#readings.values()) stream.connected?.()
        positioned()
        wait = FIRST_WAIT_MS
        await this.#readAll(reader, signal)
      } catch (error) {
        if (signal.aborted) break
        this.#onError(error)
        await sleep(wait, undefined, { signal, ref: false }).catch(() => {})
        wait = Math.min(wait * 2, LAST_WAIT_MS)
      } finally {
        signal.removeEventListener('abort', close)
        reader.close()
      }
    }
    // For those who wait for a run that was replaced.
    positioned()
  }

  async #readAll(reader: RedisReader, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const behind = await this.#readOnce(reader, signal)
      if (behind) await this.#checkAll(reader, signal)
    }
  }

  async #checkAll(reader: RedisReader, signal: AbortSignal): Promise<void> {
    for (const reading of this.#readings.values()) {
      const lost = await this.#check(reader, reading)
      if (lost && !signal.aborted) reading.stream.lost?.()
    }
  }

  /** Finds the position of a stream, and whether messages after it are lost. */
  async #check(reader: RedisReader, reading: Reading): Promise<boolean> {
    const { key } = reading.stream
    const newest = await withDeadline(reader.command(['XREVRANGE', key, '+', '-', 'COUNT', '1']), READ_MS)
    const end = (newest as readonly Entry[])[0]?.[0] ?? START
    const { at } = reading
    reading.at ??= end
    // `soon` waits no longer: messages between its end and this position may be missing.
    if (at === undefined) return performance.now() - reading.since > SOON_MS
    if (at === START) return false
    const last = await withDeadline(reader.command(['XRANGE', key, at, at]), READ_MS)
    // Streams are trimmed from the front: while the last message that was read is there, nothing after it is missing.
    if ((last as readonly Entry[]).length > 0) return false
    // A Redis that lost its data numbers by its clock again, which may be behind.
    if (isBefore(end, at)) reading.at = end
    return true
  }

  /** Returns whether more messages may wait than one read returns. */
  async #readOnce(reader: RedisReader, signal: AbortSignal): Promise<boolean> {
    const readings = [...this.#readings.values()]
    const keys = readings.map(({ stream }) => stream.key)
    const ids = readings.map(({ at }) => at ?? START)
    const args = ['XREAD', 'COUNT', String(COUNT), 'BLOCK', String(BLOCK_MS), 'STREAMS', ...keys, ...ids]
    const reply = await withDeadline(reader.command(args), READ_MS)
    if (signal.aborted) return false
    let behind = false
    for (const [key, entries] of streamsIn(reply)) {
      const reading = this.#readings.get(key)
      if (reading === undefined) continue
      for (const entry of entries) this.#deliver(reading, entry)
      behind ||= entries.length >= COUNT
    }
    return behind
  }

  #deliver(reading: Reading, [id, fields]: Entry): void {
    reading.at = id
    try {
      reading.stream.receive(Object.fromEntries(pairsOf(fields)))
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** The streams of a reply to XREAD: pairs, or, by a client that speaks RESP3, a map as names and values in turn. */
function streamsIn(reply: RedisReply): readonly (readonly [key: string, entries: readonly Entry[]])[] {
  const streams = (reply ?? []) as readonly unknown[]
  if (typeof streams[0] !== 'string') return streams as readonly (readonly [string, readonly Entry[]])[]
  return pairsOf(streams as readonly (string | readonly Entry[])[]) as readonly [string, readonly Entry[]][]
}

/** The pairs of a list that has names and values in turn. */
function pairsOf<T>(list: readonly T[]): readonly (readonly [name: T, value: T])[] {
  const pairs: [T, T][] = []
  for (let at = 0; at + 1 < list.length; at += 2) pairs.push([list[at] as T, list[at + 1] as T])
  return pairs
}

/** Whether a position of a Redis Stream, <ms>-<number>, is before another. */
function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aNumber = 0] = a.split('-').map(Number)
  const [bMs = 0, bNumber = 0] = b.split('-').map(Number)
  return aMs < bMs || (aMs === bMs && aNumber < bNumber)
}
