import { isObject, type JsonObject } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { clip, fault, warning } from '../verdicts.ts'
import { EVENT_STREAM, exchange, mediaType, type NoReplyError, shown } from './exchange.ts'
import { initializeMessage, isLoopback, post, type RpcReply, type Site } from './site.ts'

const TLS = /CERT|TLS|SSL|SIGNATURE|EPROTO/

/** Reports a URL at which nothing replies. */
export function connectionFinding({ url }: Site, { code, message }: NoReplyError): Finding {
  const evidence = `${url.origin}: ${code}: ${clip(message, 200)}`
  if (TLS.test(code)) return fault('connection', evidence, tlsAdvice(code))
  if (code === 'TIMEOUT')
    return fault('connection', evidence, 'Look in the logs of the server and its proxies for the request')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fault('connection', evidence, 'Check the host name in the URL')
  if (code === 'ECONNREFUSED')
    return fault('connection', evidence, 'Start the server, or check the port in the URL')
  return fault(
    'connection',
    evidence,
    url.protocol === 'http:' && !isLoopback(url)
      ? 'Try the URL with https'
      : 'Check that the port speaks HTTP',
  )
}

function tlsAdvice(code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'Renew the certificate'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Get a certificate for this host name'
  if (code.includes('SELF_SIGNED'))
    return 'Get a certificate of a public authority, since hosts refuse this one'
  if (code.includes('CERT') || code.includes('SIGNATURE'))
    return 'Serve the intermediate certificates with the certificate'
  return 'Check that the port speaks TLS'
}

/** Reports a reply to `initialize` that does not come from an MCP server. */
export function refusalFinding({ url }: Site, reply: RpcReply): Finding | undefined {
  const { status, headers } = reply
  if (status >= 300 && status < 400) return redirectFinding(url, status, headers.location)
  return status === 403 ? forbiddenFinding(reply) : undefined
}

/** Reports a URL whose reply contains no result. */
export async function noServerFinding(site: Site, reply: RpcReply): Promise<Finding> {
  const { status, response } = reply
  const evidence = `initialize was answered with ${status}${messageIn(response)}`
  if (status >= 500) return fault('endpoint', evidence, 'Check the logs of the server and its proxies')
  if (status === 429)
    return fault('endpoint', evidence, 'Wait, and run this again: there were too many requests')
  if (status === 406 || status === 415)
    return fault(
      'endpoint',
      evidence,
      'Accept JSON bodies, and "accept: application/json, text/event-stream"',
    )
  if (await hasEndpointEvent(site, site.url))
    return warning(
      'transport',
      `${status} for POST, but an endpoint event for GET: the server has HTTP+SSE only`,
      'Serve Streamable HTTP: HTTP+SSE is deprecated, and hosts drop it',
    )
  return wrongPathFinding(site, reply)
}

function redirectFinding(url: URL, status: number, location: string | undefined): Finding {
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined
  if (target === undefined)
    return fault('redirect', `${status} without a location`, 'Answer POST requests at this URL')
  const evidence = `POST ${shown(url)} → ${status} ${shown(target)}`
  const advice = `Use the URL ${shown(target)}`
  if (target.origin !== url.origin)
    return fault('redirect', `${evidence}: clients do not send Authorization to another origin`, advice)
  if (status !== 307 && status !== 308)
    return fault('redirect', `${evidence}: clients repeat it as GET`, advice)
  return warning('redirect', `${evidence}: not all clients repeat the body`, advice)
}

function forbiddenFinding({ response }: RpcReply): Finding {
  return fault(
    'endpoint',
    `initialize was answered with 403${messageIn(response)}`,
    'Allow the host name of the URL (Jetway: publicUrl or allowedHosts), or give a token that may use the server',
  )
}

function messageIn(response: JsonObject | undefined): string {
  const error: JsonObject = isObject(response?.['error']) ? response['error'] : {}
  const { message } = error
  return typeof message === 'string' ? `: ${clip(message, 200)}` : ''
}

async function wrongPathFinding(site: Site, { status, headers, response }: RpcReply): Promise<Finding> {
  const type = mediaType(headers)
  const evidence = `POST ${shown(site.url)} was answered with ${status}${type === '' ? '' : ` and ${type}`}${messageIn(response)}`
  const found = await otherPath(site)
  return fault(
    'endpoint',
    evidence,
    found === undefined ? 'Check the path of the URL: many servers use /mcp' : `Use the URL ${shown(found)}`,
  )
}

/**
 * Tries common paths to find one at which a server replies. Does not send the user's headers, because the path
 * may belong to someone else.
 */
async function otherPath(asked: Site): Promise<URL | undefined> {
  const site = { ...asked, headers: {} }
  const streamable = new URL('/mcp', site.url)
  const older = new URL('/sse', site.url)
  if (site.url.pathname !== streamable.pathname) {
    const reply = await post({ ...site, url: streamable }, initializeMessage()).catch(() => undefined)
    if (reply?.status === 401 || isObject(reply?.response?.['result'])) return streamable
  }
  return site.url.pathname !== older.pathname && (await hasEndpointEvent(site, older)) ? older : undefined
}

/** https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse */
async function hasEndpointEvent(site: Site, url: URL): Promise<boolean> {
  const reply = await exchange(
    { url, method: 'GET', headers: { ...site.headers, accept: EVENT_STREAM } },
    {
      timeoutMs: site.firstBytesMs,
      isComplete: (text) => text.includes('\n\n') || text.includes('\r\n\r\n'),
    },
  ).catch(() => undefined)
  return (
    reply !== undefined &&
    mediaType(reply.headers) === EVENT_STREAM &&
    /^event: ?endpoint\r?$/m.test(reply.text)
  )
}
