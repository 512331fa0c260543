import { randomBytes } from 'node:crypto'
import { isRequestId, type RequestId } from '@jetway/core/protocol'
import type {
  AppendResult,
  Cursor,
  EventStore,
  SeizedStream,
  StoredEvent,
  StreamKey,
  StreamLease,
  StreamOrigin,
  StreamState,
} from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import type { Keys, StreamKeys } from '../keys.ts'
import { APPEND, READ, SEIZE } from '../scripts/streams.ts'
import { OpenStreams } from './open-streams.ts'
import { orMissing, parsed } from './read-records.ts'

/** The limits of the event store. */
export interface RedisEventLimits {
  /** The maximum number of events to store per stream. @default 1_000 */
  readonly maxEvents?: number
  /** The maximum size of the events to store per stream, in bytes. @default 1_048_576 */
  readonly maxBytes?: number
  /**
   * The maximum size of a final response, in bytes. The other limits do not apply to it. @default 8_396_800
   */
  readonly maxFinalBytes?: number
  /** The lifetime of events and ended streams, in ms. @default 600_000 */
  readonly ttlMs?: number
  /**
   * The maximum number of streams per session. If it is exceeded, up to a sixteenth of the streams are
   * dropped: those that ended first, or the oldest one if none has ended. @default 512
   */
  readonly maxStreamsPerSession?: number
}

/** The lifetime of a stream that has not ended, in ms. The stream's writer extends it. */
const OPEN_STREAM_MS = 60 * 60_000

/** A stream whose start Redis has not confirmed yet. */
interface Opening {
  readonly keys: StreamKeys
  readonly lease: StreamLease
  /** The arguments that make {@link APPEND} start the stream. */
  readonly args: readonly (string | number)[]
  /** Starts the stream unless its first events are sent before. */
  readonly immediate: NodeJS.Immediate
}

const APPEND_STATES = new Map<unknown, AppendResult['state']>([
  [1, 'kept'],
  [-1, 'fenced'],
])

/** Stores the events of streams in Redis Streams. Every write includes the fence of its writer. */
export class RedisEventStore implements EventStore {
  readonly #commands: Commands
  readonly #keys: Keys
  readonly #limits: Required<RedisEventLimits>
  readonly #open: OpenStreams
  #process: string | undefined
  #opened = 0
  /** The streams whose start Redis has not confirmed yet, keyed by state key. */
  readonly #opening = new Map<string, Opening>()
  /** The names of streams in Redis. They are cached, because hashing the names again for each event would be slow. */
  readonly #named = new WeakMap<StreamKey, StreamKeys>()

  constructor(commands: Commands, keys: Keys, limits: RedisEventLimits = {}) {
    this.#commands = commands
    this.#keys = keys
    this.#limits = {
      maxEvents: 1_000,
      maxBytes: 1024 * 1024,
      maxFinalBytes: 8_396_800,
      ttlMs: 600_000,
      maxStreamsPerSession: 512,
      ...limits,
    }
    this.#open = new OpenStreams(commands, OPEN_STREAM_MS)
  }

  /**
   * Resolves before the stream is stored, because the command that starts the stream also sends the events of
   * the same turn.
   */
  async open(key: StreamKey, { node, kind, pending }: StreamOrigin): Promise<StreamLease> {
    const keys = this.#keysOf(key)
    const lease = { epoch: this.#createEpoch(), fence: 1 }
    const args = [node, kind, this.#limits.maxStreamsPerSession, ...pending.map(encodeId)]
    this.#drop(keys)
    const immediate = setImmediate(() => void this.#start(keys))
    this.#opening.set(keys.state, { keys, lease, args, immediate })
    this.#open.add(keys)
    return lease
  }

  async append(
    key: StreamKey,
    lease: StreamLease,
    events: readonly StoredEvent[],
    { final = false }: { readonly final?: boolean } = {},
  ): Promise<AppendResult> {
    const keys = this.#keysOf(key)
    const [code, follower] = await this.#append(keys, lease, events, final)
    const state = APPEND_STATES.get(code) ?? 'lost'
    if (final || state !== 'kept') this.#open.remove(keys)
    return follower === '' ? { state } : { state, follower }
  }

  async complete(key: StreamKey, origin: StreamOrigin, event: StoredEvent): Promise<StreamLease> {
    const lease = await this.open(key, origin)
    await this.append(key, lease, [event], { final: true })
    return lease
  }

  async read(key: StreamKey, { epoch, seq }: Cursor, reader = ''): Promise<StreamState | undefined> {
    if (!Number.isSafeInteger(seq) || seq < 0) return undefined
    const keys = this.#keysOf(key)
    await this.#start(keys)
    const args = [epoch, seq, this.#limits.ttlMs, reader]
    const reply = await this.#commands.script(READ, [keys.state, keys.events], args).catch(orMissing)
    const [code, node, kind, last, follower, ...frames] = (reply ?? [0]) as readonly [number, ...string[]]
    if (code === 0 || (kind !== 'call' && kind !== 'session')) return undefined
    return {
      events: frames.map((frame, at) => ({ seq: seq + at + 1, frame })),
      ended: code === 2,
      node: node ?? '',
      kind,
      last: Number(last),
      follower: follower === '' ? undefined : follower,
    }
  }

  async seize(key: StreamKey, epoch: string, node: string): Promise<SeizedStream | undefined> {
    const keys = this.#keysOf(key)
    await this.#start(keys)
    const args = [epoch, node, OPEN_STREAM_MS]
    const reply = await this.#commands.script(SEIZE, [keys.state], args).catch(orMissing)
    const [fence, last, kind, ...pending] = (reply ?? []) as readonly (number | string)[]
    if (fence === undefined || (kind !== 'call' && kind !== 'session')) return undefined
    this.#open.add(keys)
    return {
      lease: { epoch, fence: Number(fence) },
      last: Number(last),
      kind,
      pending: pending.map((id) => parsed(String(id))).filter(isRequestId),
    }
  }

  async delete(key: Omit<StreamKey, 'stream'> & { readonly stream?: string }): Promise<void> {
    const { stream } = key
    if (stream !== undefined) {
      const keys = this.#keys.ofStream({ ...key, stream })
      this.#open.remove(keys)
      this.#drop(keys)
      await this.#unlink(keys, [keys.token])
      await this.#commands.run(keys.streams, ['ZREM', keys.streams, keys.token])
      return
    }
    const keys = this.#keys.ofStream({ ...key, stream: '' })
    this.#open.removeSession(keys)
    for (const opening of this.#opening.values())
      if (opening.keys.session === keys.session) this.#drop(opening.keys, opening)
    const tokens = await this.#commands
      .run(keys.streams, ['ZRANGE', keys.streams, '0', '-1'])
      .catch(orMissing)
    await this.#unlink(keys, (tokens ?? []) as readonly string[])
    await this.#commands.run(keys.streams, ['UNLINK', keys.streams])
  }

  /** Stops extending the lifetime of this process's streams. */
  close(): void {
    this.#open.close()
    for (const { immediate } of this.#opening.values()) clearImmediate(immediate)
    this.#opening.clear()
  }

  #keysOf(key: StreamKey): StreamKeys {
    const known = this.#named.get(key)
    if (known !== undefined) return known
    const keys = this.#keys.ofStream(key)
    this.#named.set(key, keys)
    return keys
  }

  /** Stores a stream without events, if Redis has not confirmed its start yet. */
  async #start(keys: StreamKeys): Promise<void> {
    const opening = this.#opening.get(keys.state)
    // If the start fails, the first append will find that the stream does not exist.
    if (opening !== undefined)
      await this.#append(keys, opening.lease, []).catch(() => this.#drop(keys, opening))
  }

  #drop({ state }: StreamKeys, started = this.#opening.get(state)): void {
    if (started === undefined) return
    clearImmediate(started.immediate)
    if (this.#opening.get(state) === started) this.#opening.delete(state)
  }

  async #append(
    keys: StreamKeys,
    { epoch, fence }: StreamLease,
    events: readonly StoredEvent[],
    final = false,
  ): Promise<readonly [code: number, follower: string]> {
    const { maxEvents, maxBytes, maxFinalBytes, ttlMs } = this.#limits
    const opening = this.#opening.get(keys.state)
    const start = opening?.lease.epoch === epoch ? opening.args : []
    clearImmediate(opening?.immediate)
    const frames = events.flatMap(({ seq, frame, answers }) => [seq, frame, encodeId(answers)])
    const limits = [maxEvents, maxBytes, maxFinalBytes, ttlMs, OPEN_STREAM_MS]
    const reply = await this.#commands.script(
      APPEND,
      [keys.state, keys.events, keys.streams],
      [epoch, fence, final ? 1 : 0, ...limits, keys.token, start.length, ...start, ...frames],
    )
    const [code, follower, over = []] = reply as readonly [number, string, (readonly string[])?]
    if (start.length > 0) this.#drop(keys, opening)
    // Even if this fails, the dropped streams will expire.
    this.#unlink(keys, over).catch(() => {})
    return [code, follower]
  }

  /**
   * Creates an epoch from a random part, which identifies this process, and a number, which identifies the
   * stream.
   */
  #createEpoch(): string {
    this.#process ??= randomBytes(9).toString('base64url')
    return `${this.#process}${(++this.#opened).toString(36)}`
  }

  /** Deletes some streams of a session. */
  async #unlink({ session, streams }: StreamKeys, tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return
    const keys = tokens.flatMap((token) => {
      const { state, events } = this.#keys.ofStreamHash(session, token)
      return [state, events]
    })
    await this.#commands.run(streams, ['UNLINK', ...keys])
  }
}

/** Encodes ids as JSON, because 1 and "1" are different ids. */
const encodeId = (id: RequestId | undefined): string => (id === undefined ? '' : JSON.stringify(id))
