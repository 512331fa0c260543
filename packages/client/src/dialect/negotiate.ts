import { ErrorCode, McpError, type Revision } from '@jetway/core/protocol'
import { because, ClientError, ConnectionClosedError, TransportError } from '../errors.ts'
import { anySignal, withTimeout } from '../util/promises.ts'
import type { Dialect, DialectOptions, Negotiated } from './dialect.ts'
import { openSession } from './legacy-dialect.ts'
import { discover, ModernDialect } from './modern-dialect.ts'

/** The revisions to try, newest first. */
export interface RevisionsByEra {
  readonly modern: readonly Revision[]
  readonly legacy: readonly Revision[]
}

/**
 * The server closed the connection when it received `server/discover`. `initialize` may succeed on a new
 * connection.
 */
export class ProbeRefusedError extends ClientError {
  constructor(cause: ConnectionClosedError) {
    super('closed', `The server closed the connection when it got server/discover${because(cause.close)}`, {
      cause,
    })
  }
}

/**
 * Determines which era a server supports. Sends `server/discover` first, and then `initialize` unless the
 * server has responded as specified.
 *
 * @throws ProbeRefusedError if a new connection may succeed with `initialize` alone
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility
 */
export async function negotiate(
  options: DialectOptions,
  { modern, legacy }: RevisionsByEra,
): Promise<Dialect> {
  if (modern.length === 0) return openSession(options, legacy)
  const done = new AbortController()
  const discovered = new AbortController()
  const probing = discover({ ...options, signal: anySignal(options.signal, done.signal) }, modern, () =>
    discovered.abort(new Error('The server has answered server/discover')),
  )
  const speakModern = (found: Negotiated): Dialect => new ModernDialect(options, modern, found)
  if (legacy.length === 0) return speakModern(await probing)
  const probe = probing.then(
    (found): ProbeResult => ({ kind: 'modern', found }),
    (error: unknown) => judge(error, options),
  )
  try {
    const result = options.connection.transport.streamPerRequest ? await probe : await soon(probe, options)
    if (result === undefined) {
      const signal = anySignal(options.signal, discovered.signal)
      return await firstOf(openSession({ ...options, signal }, legacy), probe, speakModern)
    }
    if (result.kind === 'modern') return speakModern(result.found)
    if (result.kind === 'failed') throw result.error
    return await openSession(options, legacy)
  } finally {
    done.abort(new Error('The era is known'))
  }
}

type ProbeResult =
  | { readonly kind: 'modern'; readonly found: Negotiated }
  | { readonly kind: 'legacy' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** HTTP statuses that say something about the caller rather than about the era. */
const ABOUT_THE_CALLER: readonly (number | undefined)[] = [401, 402, 403, 407, 429]

function judge(error: unknown, { signal }: DialectOptions): ProbeResult {
  const failed: ProbeResult = { kind: 'failed', error }
  if (signal?.aborted === true) return failed
  if (error instanceof ConnectionClosedError) return { kind: 'failed', error: new ProbeRefusedError(error) }
  if (error instanceof McpError) return isModern(error) ? failed : { kind: 'legacy' }
  if (error instanceof TransportError) {
    const { status = 0 } = error
    // Some servers respond to an unknown method with 500.
    const unknown = status >= 400 && !ABOUT_THE_CALLER.includes(status)
    return unknown ? { kind: 'legacy' } : failed
  }
  // Any other error comes from an auth provider, which would ask the user again during `initialize`.
  return error instanceof ClientError ? { kind: 'legacy' } : failed
}

/** Returns whether the error has a code that only servers without sessions use. */
const isModern = ({ code }: McpError): boolean =>
  code === ErrorCode.HeaderMismatch || code === ErrorCode.MissingClientCapability

/** How long to wait for the response to `server/discover` before sending `initialize` as well, in ms. */
const PROBE_MS = 3_000

/** Waits for the probe. Resolves to undefined if the server does not respond in time. */
const soon = (probe: Promise<ProbeResult>, { options: { clock } }: DialectOptions) =>
  withTimeout(probe, { ms: PROBE_MS, clock, late: () => new Error('silent') }).catch(() => undefined)

/**
 * Returns the first response. A process that is still starting responds to both requests late, and an old
 * server responds to only one.
 */
async function firstOf(
  session: Promise<Dialect>,
  probe: Promise<ProbeResult>,
  speakModern: (found: Negotiated) => Dialect,
): Promise<Dialect> {
  const legacy = session.then((dialect) => () => dialect)
  const modern = probe.then((result) => (result.kind === 'modern' ? () => speakModern(result.found) : legacy))
  try {
    const choose = await Promise.any([legacy, modern])
    return choose()
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  }
}
