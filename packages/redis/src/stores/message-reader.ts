import { setTimeout as sleep } from 'node:timers/promises'
import {
  type RedisConnection,
  type RedisReader,
  type RedisReply,
  withDeadline,
} from '../connection/connection.ts'

/** How long a read waits for a message, in ms. */
const BLOCK_MS = 2_000
/** The maximum duration of a read command, in ms. */
const READ_MS = BLOCK_MS + 1_500
/** The maximum number of messages per read from each stream. */
const COUNT = 100
/** The delays before a reconnect, in ms. */
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
  /** Called if messages may be missing. */
  lost?(): void
  /** Called for each new connection. */
  connected?(): void
}

interface Reading {
  readonly stream: MessageStream
  /** The position of the latest message read. */
  at: string | undefined
  /** The time at which reading was requested, according to `performance.now()`. */
  readonly since: number
}

/**
 * Reads this node's inbox and the bus over a single blocking connection. A Redis Stream keeps its messages,
 * so only messages that have been trimmed can be lost while reconnecting.
 */
export class MessageReader {
  readonly #connection: RedisConnection
  readonly #onError: (error: unknown, isFirst: boolean) => void
  readonly #onListenerError: (error: unknown) => void
  readonly #readings = new Map<string, Reading>()
  #running: AbortController | undefined
  #ready: Promise<void> = Promise.resolve()

  /**
   * @param onError - called when a connection fails; `isFirst` is false until a connection has worked again
   * @param onListenerError - called when code that receives messages throws
   */
  constructor(
    connection: RedisConnection,
    onError: (error: unknown, isFirst: boolean) => void,
    onListenerError: (error: unknown) => void,
  ) {
    this.#connection = connection
    this.#onError = onError
    this.#onListenerError = onListenerError
  }

  /** Runs code that receives messages. Even if it throws, the reader and the other listeners continue. */
  guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#onListenerError(error)
    }
  }

  /** Resolves as soon as all messages sent from then on are certain to be read. */
  async ready(): Promise<void> {
    let ready
    do {
      ready = this.#ready
      await ready
      // While this was waiting, a new run may have replaced the awaited one.
    } while (ready !== this.#ready)
  }

  /** Waits like {@link ready}, but for at most 1 s. Messages that are missed after that are reported as lost. */
  async soon(): Promise<void> {
    await withDeadline(this.ready(), SOON_MS).catch(() => {})
  }

  /** Returns the position of the last message read from a stream. */
  positionOf(key: string): string {
    return this.#readings.get(key)?.at ?? START
  }

  /**
   * Starts to read a stream. All streams are in one slot.
   *
   * @param from - the position after which to start. @default the end
   * @returns a function that stops reading
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

  /** Continues on a new connection, because the Redis behind the current one no longer receives messages. */
  reconnect(): void {
    this.#restart()
  }

  /** Stops reading all streams. */
  close(): void {
    this.#readings.clear()
    this.#restart()
  }

  /** Replaces the pending read with a read of the current set of streams. */
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
      let reader: RedisReader | undefined
      const close = (): void => reader?.close()
      signal.addEventListener('abort', close)
      try {
        reader = this.#connection.reader(key)
        await this.#checkAll(reader, signal)
        if (!signal.aborted)
          for (const { stream } of this.#readings.values()) this.guard(() => stream.connected?.())
        positioned()
        wait = FIRST_WAIT_MS
        await this.#readAll(reader, signal)
      } catch (error) {
        if (signal.aborted) break
        this.#onError(error, wait === FIRST_WAIT_MS)
        await sleep(wait, undefined, { signal, ref: false }).catch(() => {})
        wait = Math.min(wait * 2, LAST_WAIT_MS)
      } finally {
        signal.removeEventListener('abort', close)
        close()
      }
    }
    // Wakes callers that wait for a run that has been replaced.
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
      if (lost && !signal.aborted) this.guard(() => reading.stream.lost?.())
    }
  }

  /** Finds a stream's position, and returns whether messages after it have been lost. */
  async #check(reader: RedisReader, reading: Reading): Promise<boolean> {
    const { key } = reading.stream
    const newest = await withDeadline(reader.command(['XREVRANGE', key, '+', '-', 'COUNT', '1']), READ_MS)
    const end = (newest as readonly Entry[])[0]?.[0] ?? START
    const { at } = reading
    reading.at ??= end
    // By now, `soon` has stopped waiting, so messages before this position may have been missed.
    if (at === undefined) return performance.now() - reading.since > SOON_MS
    if (at === START) return false
    const last = await withDeadline(reader.command(['XRANGE', key, at, at]), READ_MS)
    // Streams are trimmed at the front, so if the last message read still exists, no later message is missing.
    if ((last as readonly Entry[]).length > 0) return false
    // After Redis has lost its data, it numbers messages by its clock, which may be behind.
    if (isBefore(end, at)) reading.at = end
    return true
  }

  /** Reads once from all streams. Returns whether more messages may be available. */
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
    this.guard(() => reading.stream.receive(Object.fromEntries(pairsOf(fields))))
  }
}

/**
 * Reads the streams in a reply to XREAD: pairs, or alternating names and values from a client that uses RESP3.
 */
function streamsIn(reply: RedisReply): readonly (readonly [key: string, entries: readonly Entry[]])[] {
  const streams = (reply ?? []) as readonly unknown[]
  if (typeof streams[0] !== 'string') return streams as readonly (readonly [string, readonly Entry[]])[]
  return pairsOf(streams as readonly (string | readonly Entry[])[]) as readonly [string, readonly Entry[]][]
}

/** Converts a list of alternating names and values to pairs. */
function pairsOf<T>(list: readonly T[]): readonly (readonly [name: T, value: T])[] {
  const pairs: [T, T][] = []
  for (let at = 0; at + 1 < list.length; at += 2) pairs.push([list[at] as T, list[at + 1] as T])
  return pairs
}

/** Compares two positions in a Redis Stream, which have the form <ms>-<number>. */
function isBefore(a: string, b: string): boolean {
  const [aMs = 0, aNumber = 0] = a.split('-').map(Number)
  const [bMs = 0, bNumber = 0] = b.split('-').map(Number)
  return aMs < bMs || (aMs === bMs && aNumber < bNumber)
}
