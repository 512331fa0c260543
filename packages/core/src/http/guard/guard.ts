import type { Revision } from '../../protocol/revisions/revision.ts'
import { hasSessions } from '../../protocol/revisions/select.ts'
import { createHostGuard, isLoopbackAddress } from './hosts.ts'
import { isolatedRequests } from '../../util/platform.ts'
import type { Logger } from '../../util/logger.ts'
import type { EndpointOptions, ResolvedOptions } from '../options.ts'
import { accepted, type duplicateHeader, isJson } from './headers.ts'
import { refuse, type RefusalKey, STATUSES } from '../refusals.ts'
import type { Route, HttpReply, HttpRequest } from '../types.ts'

/**
 * Checks the headers of a request. Returns undefined to accept the request, or a reply that refuses it before
 * its body is read.
 */
export type HeadGuard = (request: HttpRequest) => HttpReply | undefined

const UNKNOWN_SOCKET =
  'The mount does not check the Host header, because it does not know the socket of a request. ' +
  'On Node, set connection: nodeConnection of @jetway/node/connection. Elsewhere, ' +
  "set the option allowedHosts to the names of this server, or to ['*'] to accept every name"

/**
 * Runs all stateless checks for every method and route, in the order of the status table.
 *
 * @param findDuplicate - undefined if the host joins repeated headers
 */
export function createHeadGuard(
  options: EndpointOptions & Pick<ResolvedOptions, 'stateless'>,
  { served, logger }: { readonly served: readonly Revision[]; readonly logger: Logger },
  findDuplicate: typeof duplicateHeader | undefined,
): HeadGuard {
  const hosts = createHostGuard(options)
  let warned = options.allowedHosts !== undefined || isolatedRequests()
  const routes: Readonly<Record<Route, RouteRules | undefined>> = {
    mcp: routeRules(allowedVerbs(options, served), { sessions: hasSessions(served) }),
    sse: options.legacySse ? routeRules(['GET']) : undefined,
    message: options.legacySse ? routeRules(['POST'], { responsesOnStream: true }) : undefined,
  }

  return (request) => {
    const { method, peer, rawHeaders } = request
    const rules = routes[request.route]
    if (rules === undefined) return refuse('notHere')
    if (!rules.verbs.includes(method) && method !== 'OPTIONS') return rules.wrongMethod
    const host = request.header('host')
    if (!warned && peer === undefined && host !== undefined && !hosts.isLoopback(host)) {
      warned = true
      logger.warn({}, UNKNOWN_SOCKET)
    }
    const address = peer?.localAddress
    if (!hosts.host(host, address === undefined ? undefined : isLoopbackAddress(address)))
      return refuse('forbiddenHost')
    const origin = request.header('origin')
    if (origin !== undefined && !hosts.origin(origin)) return refuse('forbiddenOrigin')
    if (method === 'OPTIONS') return rules.preflight
    if (rawHeaders !== undefined && findDuplicate?.(rawHeaders) !== undefined) return refuse('repeatedHeader')
    const fault = headerFault(request, rules)
    return fault === undefined ? undefined : refuse(fault)
  }
}

interface RouteRules {
  readonly verbs: readonly string[]
  readonly wrongMethod: HttpReply
  readonly preflight: HttpReply
  /** Whether the mount has sessions. If not, the session header is ignored. */
  readonly sessions: boolean
  /**
   * Whether responses are sent on the event stream, as for `/message`. If so, the Accept header does not
   * matter.
   */
  readonly responsesOnStream: boolean
}

function routeRules(
  verbs: readonly string[],
  { sessions = false, responsesOnStream = false }: Partial<RouteRules> = {},
): RouteRules {
  const allow = Object.freeze({ allow: [...verbs, 'OPTIONS'].join(', ') })
  return {
    verbs,
    wrongMethod: refuse('wrongMethod', { headers: allow }),
    preflight: Object.freeze({ status: STATUSES.options.status, headers: allow }),
    sessions,
    responsesOnStream,
  }
}

function allowedVerbs(
  { stateless, sessions }: EndpointOptions,
  served: readonly Revision[],
): readonly string[] {
  // GET and DELETE require sessions.
  if (stateless === true || !hasSessions(served)) return ['POST']
  return sessions?.allowDelete === false ? ['GET', 'POST'] : ['GET', 'POST', 'DELETE']
}

/**
 * Matches the bytes 0x21 to 0x7E. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management.
 */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

/** Returns the problem with the headers, if any. A request without an Accept header accepts everything. */
function headerFault(
  request: HttpRequest,
  { sessions, responsesOnStream }: RouteRules,
): RefusalKey | undefined {
  const post = request.method === 'POST'
  if (post && !isJson(request.header('content-type')))
    return responsesOnStream ? 'unsupportedMessageType' : 'unsupportedMediaType'
  if (responsesOnStream) return undefined
  if (request.method === 'GET' && request.isQueued) return 'pipelined'
  const accept = request.header('accept')
  if (accept !== undefined && (post || request.method === 'GET')) {
    const { json, sse } = accepted(accept)
    if (!sse || (post && !json)) return post ? 'notAcceptable' : 'notAcceptableStream'
  }
  const id = sessions ? request.header('mcp-session-id') : undefined
  return id === undefined || SESSION_ID.test(id) ? undefined : 'malformedSessionId'
}
