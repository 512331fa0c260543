import type { Revision } from '../../protocol/revisions/revision.ts'
import { hasSessions } from '../../protocol/revisions/select.ts'
import { createHostGuard, isLoopbackAddress } from './hosts.ts'
import { accepted, isJson } from './media-types.ts'
import { isolatedRequests } from '../../util/platform.ts'
import type { Logger } from '../../util/logger.ts'
import type { EndpointOptions, ResolvedOptions } from '../options.ts'
import { duplicateHeader } from './duplicate-headers.ts'
import { refuse, type RefusalKey, STATUSES } from '../refusals.ts'
import type { Route, HttpReply, HttpRequest } from '../types.ts'

/** Checks the head of a request. Undefined accepts it; a reply refuses it before its body is read. */
export type HeadGuard = (request: HttpRequest) => HttpReply | undefined

const UNKNOWN_SOCKET =
  'The mount does not check the Host header, because this host does not pass on the socket of a request. ' +
  "Set the option allowedHosts to the names of this server, or to ['*'] to accept every name"

/** All checks without state, for every method and route, in the order of the table of statuses. */
export function createHeadGuard(
  options: EndpointOptions & Pick<ResolvedOptions, 'stateless'>,
  served: readonly Revision[],
  logger: Logger,
): HeadGuard {
  const hosts = createHostGuard(options)
  let warned = options.allowedHosts !== undefined || isolatedRequests()
  const routes: Readonly<Record<Route, RouteRules | undefined>> = {
    mcp: routeRules(allowedVerbs(options, served), hasSessions(served) ? sessionFault : headerFault),
    sse: options.legacySse ? routeRules(['GET'], headerFault) : undefined,
    message: options.legacySse ? routeRules(['POST'], messageFault) : undefined,
  }

  function hostFault(request: HttpRequest): RefusalKey | undefined {
    const host = request.header('host')
    const { peer } = request
    if (!warned && peer === undefined && host !== undefined && !hosts.isLoopback(host)) {
      warned = true
      logger.warn({}, UNKNOWN_SOCKET)
    }
    const address = peer?.localAddress
    const local = address === undefined ? undefined : isLoopbackAddress(address)
    if (!hosts.host(host, local)) return 'forbiddenHost'
    const origin = request.header('origin')
    return origin === undefined || hosts.origin(origin) ? undefined : 'forbiddenOrigin'
  }

  return (request) => {
    const rules = routes[request.route]
    if (rules === undefined) return refuse('notHere')
    const { method } = request
    if (!rules.verbs.includes(method) && method !== 'OPTIONS') return rules.wrongMethod
    const fault = hostFault(request)
    if (fault !== undefined) return refuse(fault)
    if (method === 'OPTIONS') return rules.preflight
    const problem = isRepeated(request) ? 'repeatedHeader' : rules.fault(request)
    return problem === undefined ? undefined : refuse(problem)
  }
}

interface RouteRules {
  readonly verbs: readonly string[]
  readonly wrongMethod: HttpReply
  readonly preflight: HttpReply
  readonly fault: (request: HttpRequest) => RefusalKey | undefined
}

function routeRules(verbs: readonly string[], fault: RouteRules['fault']): RouteRules {
  const allow = Object.freeze({ allow: [...verbs, 'OPTIONS'].join(', ') })
  return {
    verbs,
    wrongMethod: refuse('wrongMethod', { headers: allow }),
    preflight: Object.freeze({ status: STATUSES.options.status, headers: allow }),
    fault,
  }
}

function allowedVerbs(
  { stateless, sessions }: EndpointOptions,
  served: readonly Revision[],
): readonly string[] {
  // GET and DELETE are for sessions.
  if (stateless === true || !hasSessions(served)) return ['POST']
  return sessions?.allowDelete === false ? ['GET', 'POST'] : ['GET', 'POST', 'DELETE']
}

/**
 * Bytes 0x21 to 0x7E:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

/** Without sessions their header is ignored. */
function sessionFault(request: HttpRequest): RefusalKey | undefined {
  const fault = headerFault(request)
  if (fault !== undefined) return fault
  const id = request.header('mcp-session-id')
  return id === undefined || SESSION_ID.test(id) ? undefined : 'malformedSessionId'
}

function headerFault(request: HttpRequest): RefusalKey | undefined {
  if (request.method === 'POST') {
    if (!isJson(request.header('content-type'))) return 'unsupportedMediaType'
    const { json, sse } = accepted(request.header('accept'))
    if (!json || !sse) return 'notAcceptable'
  } else if (request.method === 'GET' && !accepted(request.header('accept')).sse) {
    return 'notAcceptableStream'
  }
  return undefined
}

/** The Accept header of `/message` does not matter: the responses come on the stream. */
const messageFault = (request: HttpRequest): RefusalKey | undefined =>
  isJson(request.header('content-type')) ? undefined : 'unsupportedMessageType'

const isRepeated = ({ rawHeaders }: HttpRequest): boolean =>
  rawHeaders !== undefined && duplicateHeader(rawHeaders) !== undefined
