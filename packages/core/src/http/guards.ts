import { createHostGuard, isLoopbackAddress } from './hosts.ts'
import { accepted, isJson } from './media-types.ts'
import type { EndpointOptions } from './options.ts'
import { UNIQUE_HEADERS } from './repeated.ts'
import { refuse, type RefusalKey, STATUSES } from './statuses.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/** Looks at the head alone. Undefined lets the request pass; a reply ends it before its body is read. */
export type HeadGuard = (request: HttpRequest) => HttpReply | undefined

/** Every check that needs no state, for every verb and door, in the order of the table of statuses. */
export function createHeadGuard(options: EndpointOptions): HeadGuard {
  const hosts = createHostGuard(options)
  const verbs = allowedVerbs(options)
  const allow = { allow: [...verbs, 'OPTIONS'].join(', ') }
  const wrongMethod = refuse('wrongMethod', { headers: allow })
  const preflight: HttpReply = Object.freeze({
    status: STATUSES.options.status,
    headers: Object.freeze(allow),
  })

  function hostFault(request: HttpRequest): RefusalKey | undefined {
    const address = request.peer?.localAddress
    const local = address === undefined ? undefined : isLoopbackAddress(address)
    if (!hosts.host(request.header('host'), local)) return 'forbiddenHost'
    const origin = request.header('origin')
    return origin === undefined || hosts.origin(origin) ? undefined : 'forbiddenOrigin'
  }

  return (request) => {
    if (request.door !== 'mcp') return refuse('notHere')
    const { method } = request
    if (!verbs.includes(method) && method !== 'OPTIONS') return wrongMethod
    const fault = hostFault(request)
    if (fault !== undefined) return refuse(fault)
    if (method === 'OPTIONS') return preflight
    const problem = headerFault(request)
    return problem === undefined ? undefined : refuse(problem)
  }
}

function allowedVerbs({ stateless, sessions }: EndpointOptions): readonly string[] {
  if (stateless === true) return ['POST']
  return sessions?.allowDelete === false ? ['GET', 'POST'] : ['GET', 'POST', 'DELETE']
}

/** Bytes 0x21 to 0x7E: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/

function headerFault(request: HttpRequest): RefusalKey | undefined {
  if (isRepeated(request)) return 'repeatedHeader'
  if (request.method === 'POST') {
    if (!isJson(request.header('content-type'))) return 'unsupportedMediaType'
    const { json, sse } = accepted(request.header('accept'))
    if (!json || !sse) return 'notAcceptable'
  } else if (request.method === 'GET' && !accepted(request.header('accept')).sse) {
    return 'notAcceptableStream'
  }
  const id = request.header('mcp-session-id')
  return id === undefined || SESSION_ID.test(id) ? undefined : 'malformedSessionId'
}

function isRepeated(request: HttpRequest): boolean {
  if (request.repeated !== undefined) return request.repeated() !== undefined
  return UNIQUE_HEADERS.some((name) => request.headers(name).length > 1)
}
