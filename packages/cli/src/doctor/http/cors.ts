import type { IncomingHttpHeaders } from 'node:http'
import type { Finding } from '../finding.ts'
import { ok, skipped, warning } from '../verdicts.ts'
import { exchange } from './exchange.ts'
import { sessionIdOf, tryInitialize } from './sessions.ts'
import { isLoopback, type Site } from './site.ts'

/** The origin of the MCP Inspector. Its page connects to servers directly. */
const LOCAL_ORIGIN = 'http://localhost:6274'

/** Checks whether browser-based clients can read the session id, if the server allows such clients. */
export async function checkCors(site: Site): Promise<readonly Finding[]> {
  const origin = isLoopback(site.url) ? LOCAL_ORIGIN : site.url.origin
  const preflight = await exchange(
    {
      url: site.url,
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, mcp-session-id, mcp-protocol-version',
      },
    },
    { timeoutMs: site.replyMs },
  )
  const { status, headers } = preflight
  if (status >= 300 || headers['access-control-allow-origin'] === undefined)
    return [skipped('cors', 'the server allows no clients in browsers')]
  const reply = await tryInitialize(site, { origin })
  if (reply.headers['access-control-allow-origin'] === undefined)
    return [
      warning(
        'cors',
        'OPTIONS has Access-Control-Allow-Origin, but POST has not',
        'Send Access-Control-Allow-Origin with every reply',
      ),
    ]
  if (sessionIdOf(reply) !== undefined && !exposes(reply.headers, 'mcp-session-id'))
    return [
      warning(
        'cors',
        `Access-Control-Expose-Headers: ${reply.headers['access-control-expose-headers'] ?? 'missing'}`,
        'Add Mcp-Session-Id to Access-Control-Expose-Headers: browsers cannot read it otherwise',
      ),
    ]
  return [ok('cors', `allows ${origin}`)]
}

function exposes(headers: IncomingHttpHeaders, name: string): boolean {
  const names = (headers['access-control-expose-headers'] ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
  return (
    names.includes(name) || (names.includes('*') && headers['access-control-allow-credentials'] !== 'true')
  )
}
