import { type Implementation, resolveRevisions } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { Connection, type ConnectionHandlers } from '../connection/connection.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { sharedEras } from '../dialect/era-cache.ts'
import { negotiate, ProbeRefusedError, type RevisionsByEra } from '../dialect/negotiate.ts'
import { ClientError } from '../errors.ts'
import type { ClientTransport, TransportFactory } from '../transport/client-transport.ts'
import { abortable, anySignal } from '../util/promises.ts'
import { type ClientOptions, DEFAULTS } from './options.ts'
import { resume, type SavedSession } from './saved-session.ts'

export interface ConnectOptions {
  readonly info: Implementation
  readonly options: ClientOptions
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** A session to resume instead of a handshake. */
  readonly session: SavedSession | undefined
  readonly handlers: ConnectionHandlers
  readonly onChangesMissed: () => void
  /** Called with each connection before its handshake. */
  readonly onConnection: (connection: Connection) => void
}

/**
 * Connects and negotiates a revision. The era cache decides what is tried first; if that fails, a new connection tries
 * the rest. A failure leaves no connection open.
 */
export async function connect(
  target: ClientTransport | TransportFactory,
  options: ConnectOptions,
): Promise<Dialect> {
  const { connectTimeoutMs: ms = DEFAULTS.connectTimeoutMs } = options.options
  const late = new AbortController()
  const timer = options.clock.setTimeout(
    () => late.abort(new ClientError('timeout', `Not connected within ${ms} ms`)),
    ms,
  )
  try {
    return await attempt(target, { ...options, signal: anySignal(options.signal, late.signal) })
  } finally {
    options.clock.clearTimeout(timer)
  }
}

async function attempt(
  target: ClientTransport | TransportFactory,
  options: ConnectOptions,
): Promise<Dialect> {
  const { signal, session } = options
  const { revisions, eras = sharedEras } = options.options
  const all = resolveRevisions(revisions)
  const byEra: RevisionsByEra = {
    modern: all.filter(({ era }) => era === 'modern'),
    legacy: all.filter(({ era }) => era === 'legacy'),
  }
  const first = await open(target, options)
  if (session !== undefined) return handshake(first, byEra, options)
  const { key } = first.transport
  const cached = eras === false || key === undefined ? undefined : eras.get(key)
  const known = cached !== undefined && byEra[cached].length > 0 ? cached : undefined
  try {
    const only = known === undefined ? byEra : { modern: [], legacy: [], [known]: byEra[known] }
    return await handshake(first, only, options)
  } catch (error) {
    if (typeof target !== 'function' || signal?.aborted === true) throw error
    const refused = error instanceof ProbeRefusedError && byEra.legacy.length > 0
    if (known === undefined && !refused) throw error
    if (key !== undefined && eras !== false) eras.set(key, undefined)
    const rest = known === undefined ? { ...byEra, modern: [] } : byEra
    return await handshake(await open(target, options), rest, options)
  }
}

async function open(
  target: ClientTransport | TransportFactory,
  { signal, clock, handlers }: ConnectOptions,
): Promise<Connection> {
  const transport = typeof target === 'function' ? await create(target, signal) : target
  return new Connection(transport, clock, handlers)
}

/** A factory may take for ever. A transport that it returns after the abort is closed. */
function create(factory: TransportFactory, signal: AbortSignal | undefined): Promise<ClientTransport> {
  signal?.throwIfAborted()
  const created = Promise.resolve(factory())
  created.then((transport) => (signal?.aborted === true ? transport.close() : undefined)).catch(() => {})
  return abortable(created, signal)
}

async function handshake(
  connection: Connection,
  byEra: RevisionsByEra,
  { info, options, clock, signal, session, handlers, onChangesMissed, onConnection }: ConnectOptions,
): Promise<Dialect> {
  const dialectOptions = {
    info,
    options,
    clock,
    signal,
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    probeTimeoutMs: options.probeTimeoutMs ?? DEFAULTS.probeTimeoutMs,
    onError: handlers.error,
    onChangesMissed,
  }
  try {
    onConnection(connection)
    signal?.throwIfAborted()
    await abortable(connection.start(), signal)
    const dialect =
      session === undefined
        ? await negotiate(connection, byEra, dialectOptions)
        : resume(connection, session, byEra.legacy, dialectOptions)
    const { eras = sharedEras } = options
    const { key } = connection.transport
    if (key !== undefined && eras !== false) eras.set(key, dialect.revision.era)
    return dialect
  } catch (error) {
    await connection.close().catch((failed: unknown) => handlers.error(failed as Error))
    throw error
  }
}
