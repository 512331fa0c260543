import { resolveRevisions } from '@jetway/core/protocol'
import { Connection, type ConnectionHandlers } from '../connection/connection.ts'
import type { Dialect, DialectOptions } from '../dialect/dialect.ts'
import { negotiate, ProbeRefusedError, type RevisionsByEra } from '../dialect/negotiate.ts'
import { ClientError } from '../errors.ts'
import type { RequestObserver } from '../connection/request-observer.ts'
import type { ClientTransport, ConnectTarget, TransportFactory } from '../transport/client-transport.ts'
import { abortable, abortingAfter } from '../util/promises.ts'
import { resume, type SavedSession } from './saved-session.ts'

export interface ConnectOptions extends Omit<DialectOptions, 'connection'> {
  readonly session: SavedSession | undefined
  readonly handlers: ConnectionHandlers
  readonly observer: RequestObserver | undefined
  readonly onConnection: (connection: Connection) => void
}

/**
 * Connects and negotiates a revision. The era cache determines which era is tried first. If the first attempt
 * fails, the other era is tried on a new connection. No connection stays open after a failure.
 */
export async function connect(target: ConnectTarget, options: ConnectOptions): Promise<Dialect> {
  const { connectTimeoutMs: ms, clock } = options.options
  const late = (): Error =>
    new ClientError('timeout', `Not connected within ${ms} ms. Set connectTimeoutMs to wait longer`)
  return abortingAfter({ ms, clock, late, signal: options.signal }, (signal) =>
    attempt(target, { ...options, signal }),
  )
}

async function attempt(target: ConnectTarget, options: ConnectOptions) {
  const { signal, session } = options
  const { revisions, eras } = options.options
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
    if (key !== undefined && eras !== false) eras.delete(key)
    const rest = known === undefined ? { ...byEra, modern: [] } : byEra
    return await handshake(await open(target, options), rest, options)
  }
}

async function open(
  target: ConnectTarget,
  { signal, options: { clock }, handlers, observer }: ConnectOptions,
): Promise<Connection> {
  const transport = typeof target === 'function' ? await create(observer, target, signal) : target
  return new Connection(transport, { clock, observer }, handlers)
}

/** Creates a transport. If the factory returns a transport after an abort, that transport is closed. */
function create(
  observer: RequestObserver | undefined,
  factory: TransportFactory,
  signal: AbortSignal | undefined,
): Promise<ClientTransport> {
  signal?.throwIfAborted()
  const created = Promise.resolve(observer === undefined ? factory() : observer.apart(factory))
  created.then((transport) => (signal?.aborted === true ? transport.close() : undefined)).catch(() => {})
  return abortable(created, signal)
}

async function handshake(connection: Connection, byEra: RevisionsByEra, options: ConnectOptions) {
  const { signal, session, handlers, onConnection } = options
  try {
    onConnection(connection)
    signal?.throwIfAborted()
    await abortable(connection.start(), signal)
    const dialect =
      session === undefined
        ? await negotiate({ ...options, connection }, byEra)
        : resume({ ...options, connection }, byEra.legacy, session)
    const { eras } = options.options
    const { key } = connection.transport
    if (key !== undefined && eras !== false) eras.set(key, dialect.revision.era)
    return dialect
  } catch (error) {
    await connection.close().catch((failed: unknown) => handlers.error(failed as Error))
    throw error
  }
}
