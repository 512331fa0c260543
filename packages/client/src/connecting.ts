import { type Implementation, resolveRevisions, type Revision } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { Conversation, type ConversationEvents } from './conversation/conversation.ts'
import { agree, type AgreeOptions, ProbeRefusedError } from './eras/agree.ts'
import { type EraCache, sharedEras } from './eras/era-cache.ts'
import type { Side } from './eras/side.ts'
import { ClientError } from './errors.ts'
import { type ClientOptions, DEFAULTS } from './options.ts'
import { resumed, type SavedSession } from './saved-session.ts'
import type { ClientTransport, Dial } from './transport/client-transport.ts'
import { orAborted } from './waiting.ts'

/** A connection whose two sides have agreed how to speak. */
export interface Connected {
  readonly conversation: Conversation
  readonly side: Side
}

export interface ConnectingOptions {
  readonly info: Implementation
  readonly options: ClientOptions
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** To go on with, rather than to agree on anything. */
  readonly session: SavedSession | undefined
  readonly events: ConversationEvents
  readonly onReopened: () => void
  readonly onGap: () => void
  /** The connection that the handshake runs on, before anything was said. */
  readonly onOpened: (conversation: Conversation) => void
}

/**
 * Connects, and finds out which era the server speaks. What is remembered of it is tried first, and forgotten if it does
 * not hold. Whatever fails, no connection is left behind.
 */
export async function connecting(
  target: ClientTransport | Dial,
  connect: ConnectingOptions,
): Promise<Connected> {
  const { options, clock } = connect
  const { connectTimeoutMs = DEFAULTS.connectTimeoutMs } = options
  const late = new AbortController()
  const timer = clock.setTimeout(
    () => late.abort(new ClientError('timeout', `No connection within ${connectTimeoutMs} ms`)),
    connectTimeoutMs,
  )
  const signal = connect.signal === undefined ? late.signal : AbortSignal.any([connect.signal, late.signal])
  try {
    return await attempt(target, { ...connect, signal })
  } finally {
    clock.clearTimeout(timer)
  }
}

async function attempt(target: ClientTransport | Dial, connect: ConnectingOptions): Promise<Connected> {
  const { modern, legacy } = spoken(connect.options)
  const first = await dialled(target, connect)
  if (connect.session !== undefined) return negotiated(first, connect, { modern: [], legacy })
  const eras = connect.options.eras ?? sharedEras
  const known = read(eras, first.transport.key)
  const knownLegacy = known === 'legacy' && legacy.length > 0
  const knownModern = known === 'modern' && modern.length > 0
  try {
    return await negotiated(first, connect, {
      modern: knownLegacy ? [] : modern,
      legacy: knownModern ? [] : legacy,
    })
  } catch (error) {
    // What was remembered may be out of date, or the server can't bear to be asked: once more, on a new connection.
    if (typeof target !== 'function' || connect.signal?.aborted === true) throw error
    if (!knownLegacy && !knownModern && !(error instanceof ProbeRefusedError && legacy.length > 0))
      throw error
    if (first.transport.key !== undefined && eras !== false) eras.set(first.transport.key, undefined)
    const again = await dialled(target, connect)
    return await negotiated(
      again,
      connect,
      knownLegacy || knownModern ? { modern, legacy } : { modern: [], legacy },
    )
  }
}

interface Spoken {
  /** Newest first. */
  readonly modern: readonly Revision[]
  readonly legacy: readonly Revision[]
}

/** @throws `ERR_MCP_REVISION` */
function spoken({ revisions }: ClientOptions): Spoken {
  const all = resolveRevisions(revisions)
  return {
    modern: all.filter(({ era }) => era === 'modern'),
    legacy: all.filter(({ era }) => era === 'legacy'),
  }
}

const read = (eras: EraCache | false, key: string | undefined): ReturnType<EraCache['get']> =>
  eras === false || key === undefined ? undefined : eras.get(key)

async function dialled(target: ClientTransport | Dial, connect: ConnectingOptions): Promise<Conversation> {
  const transport = typeof target === 'function' ? await called(target, connect.signal) : target
  return new Conversation(transport, connect.clock, connect.events)
}

/** A dial may never come back. What it opens after nobody waits any more is closed. */
function called(dial: Dial, signal: AbortSignal | undefined): Promise<ClientTransport> {
  signal?.throwIfAborted()
  const opened = Promise.resolve(dial())
  opened.then((transport) => (signal?.aborted === true ? transport.close() : undefined)).catch(() => {})
  return orAborted(opened, signal)
}

async function negotiated(
  conversation: Conversation,
  { info, options, clock, signal, session, events, onReopened, onGap, onOpened }: ConnectingOptions,
  { modern, legacy }: Spoken,
): Promise<Connected> {
  const agreeing: AgreeOptions = {
    info,
    options,
    clock,
    modern,
    legacy,
    signal,
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    probeTimeoutMs: options.probeTimeoutMs ?? DEFAULTS.probeTimeoutMs,
    onError: (error) => events.error(error),
    onReopened,
    onGap,
  }
  try {
    onOpened(conversation)
    await started(conversation, signal)
    const side =
      session === undefined
        ? await agree(conversation, agreeing)
        : resumed(conversation, session, { ...agreeing, revisions: legacy })
    const { key } = conversation.transport
    const eras = options.eras ?? sharedEras
    if (key !== undefined && eras !== false) eras.set(key, side.revision.era)
    return { conversation, side }
  } catch (error) {
    await conversation.close().catch((failed: unknown) => events.error(failed as Error))
    throw error
  }
}

/** A transport that does not come up is left to itself: it is closed right after. */
async function started(conversation: Conversation, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await orAborted(conversation.start(), signal)
}
