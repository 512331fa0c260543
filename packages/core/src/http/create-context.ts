import { WaitUntil } from '../call/wait-until.ts'
import { narrowRevisions, REVISIONS } from '../protocol/revisions/index.ts'
import type { EndpointContext } from './context.ts'
import { createCallPool } from '../session/call-pool.ts'
import { Drainable, type DrainSteps } from '../session/drainable.ts'
import { systemClock } from '../util/clock.ts'
import { safeLogger, stderrLogger } from '../util/logger.ts'
import { secureRandom } from '../util/random.ts'
import { Deadlines } from '../util/timers.ts'
import { CallerBytes } from './caller-bytes.ts'
import type { EndpointOptions, EndpointPlace, ResolvedOptions } from './options.ts'
import { Rejections } from './servers/rejections.ts'
import { type Measure, ServedServer } from './servers/served-server.ts'
import { type Servable, ServedServers, type ServerSelector } from './servers/served-servers.ts'
import { OpenStreams } from './streams/keep-alive.ts'

interface ContextParts {
  readonly resolved: ResolvedOptions
  readonly place: EndpointPlace
  readonly steps: DrainSteps
  readonly measure: Measure
}

export function createContext(
  server: Servable | ServerSelector,
  options: EndpointOptions,
  { resolved, place, steps, measure }: ContextParts,
): EndpointContext {
  const runtime = typeof server === 'function' ? undefined : server.runtime
  const clock = runtime?.clock ?? systemClock
  const logger =
    options.logger === undefined ? (runtime?.logger ?? safeLogger(stderrLogger)) : safeLogger(options.logger)
  const served = narrowRevisions(runtime?.revisions ?? REVISIONS, options.revisions)
  const servers = new ServedServers(server, (own) => new ServedServer(own, served, clock, measure))
  const work = new Drainable(clock, steps)
  const { authenticate, card, publicUrl, legacySse } = options
  const { path } = place
  const shared = options.shared ?? runtime?.shared
  const at = { publicUrl, path, legacySse, usedStates: shared?.usedStates, clock, logger }
  const bound = authenticate?.mount?.(at) ?? authenticate
  const revisions = served.map(({ version }) => version)
  const documents = bound?.wellKnown
  return {
    clock,
    random: runtime?.random ?? secureRandom,
    servers,
    options: resolved,
    logger,
    authenticate: bound,
    wellKnown: card?.({ info: runtime?.info, publicUrl, path, revisions, documents }) ?? documents,
    served,
    shared,
    calls: createCallPool(),
    openStreams: new OpenStreams(clock, resolved.keepAlive),
    queued: new CallerBytes(resolved.queuedLimit),
    rejections: new Rejections(servers, options.onReject, logger),
    upgrades: new Deadlines(clock, resolved.upgradeAfterMs),
    work,
    background: new WaitUntil(work, logger),
  }
}
