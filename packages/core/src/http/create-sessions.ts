import { hasSessions } from '../protocol/revisions/select.ts'
import { DEFAULT_MAX_RESULT_BYTES } from '../session/server-runtime.ts'
import { MemoryEventStore } from '../stores/memory-event-store.ts'
import { check } from '../util/check-options.ts'
import { createSealer } from '../util/sealer.ts'
import { LegacySse } from './legacy-sse/sse-transport.ts'
import type { EndpointContext } from './context.ts'
import { SessionNetwork } from './sessions/session-network.ts'
import { Peers } from './nodes/peers.ts'
import type { EndpointOptions } from './options.ts'
import { SessionRoutes } from './streamable/get-delete.ts'
import { Pings } from './sessions/pings.ts'
import { PlainIds, SealedIds } from './sessions/session-ids.ts'
import { SessionTable } from './sessions/session-table.ts'

/**
 * The maximum number of bytes in a response in addition to its result. The response's id may have up to 1,024
 * characters.
 */
const ENVELOPE_BYTES = 8_192

/**
 * Creates a mount's sessions and their routes. Returns undefined for a mount without sessions.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function createSessions(
  context: EndpointContext,
  { sessions, streams = {}, publicUrl }: EndpointOptions,
): SessionRoutes | undefined {
  const { options, clock, random, logger } = context
  const sealed = createSealedIds(context)
  if (options.stateless) return undefined
  const { keepAlive, bodyLimit } = options
  const { maxResultBytes = DEFAULT_MAX_RESULT_BYTES } = context.servers.single?.runtime ?? {}
  const maxFinalBytes = Math.max(bodyLimit, maxResultBytes + ENVELOPE_BYTES)
  const { shared } = context
  check(
    'sessions.seal',
    sealed === undefined || shared === undefined,
    'cannot be used with shared: leave one out',
  )
  const { eventStore = shared?.events ?? new MemoryEventStore({ maxFinalBytes, clock, random }) } = streams
  const store = sessions?.store ?? shared?.sessions
  const table = new SessionTable(context, {
    store,
    network: shared && new SessionNetwork(context, new Peers({ shared, clock, random, logger })),
    events: eventStore === false ? undefined : eventStore,
    plain: new PlainIds({ clock, random, logger, prefix: options.sessionPrefix }),
    sealed,
    pings: keepAlive !== false && keepAlive.mode === 'ping' ? new Pings(context, keepAlive) : undefined,
  })
  const legacySse = createLegacySse(context, table, publicUrl)
  if (table.network !== undefined)
    table.network.peers.onMail = (received) => {
      const { key, mail } = received
      if (mail.kind === 'message' || mail.kind === 'reply') legacySse?.receiveMail(received)
      else table.live(key)?.link?.receive(mail)
    }
  return new SessionRoutes(context, table, legacySse)
}

function createSealedIds({ options, servers, clock, random }: EndpointContext): SealedIds | undefined {
  const { seal, sessions } = options
  if (seal === undefined) return undefined
  return new SealedIds({
    sealer: createSealer({ keys: seal.keys, name: 'sessions.seal.keys', random }),
    server: servers.single?.runtime.info.name ?? '',
    maxAgeMs: seal.maxAgeMs,
    maxEnded: sessions.max,
    clock,
    random,
  })
}

function createLegacySse(
  context: EndpointContext,
  sessions: SessionTable,
  publicUrl: string | URL | undefined,
): LegacySse | undefined {
  const { legacySse: paths } = context.options
  if (paths === undefined) return undefined
  check(
    'legacySse',
    hasSessions(context.served),
    'needs a revision with sessions: serve one, or leave it out',
  )
  const { pathname } = new URL(publicUrl ?? 'http://localhost')
  return new LegacySse({ context, sessions, paths, publicPath: pathname === '/' ? undefined : pathname })
}
