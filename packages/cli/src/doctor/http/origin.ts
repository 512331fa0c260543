import type { Finding } from '../finding.ts'
import { fault, ok, warning } from '../verdicts.ts'
import { tryInitialize } from './sessions.ts'
import { isLoopback, type Site, withoutToken } from './site.ts'

const FOREIGN_HOST = 'attacker.example'

/**
 * Sends `initialize` as a page from another site would. On loopback, also sends it as a page that uses DNS
 * rebinding would, with the page's own host name in the Host and Origin headers.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export async function checkOrigin(site: Site): Promise<readonly Finding[]> {
  const origin = `https://${FOREIGN_HOST}`
  const { status } = await tryInitialize(site, { origin })
  if (isRefused(status)) return [ok('origin', `Origin: ${origin} was answered with ${status}`)]
  const evidence = `Origin: ${origin} was answered with ${status}`
  const advice = 'Answer requests with a foreign Origin with 403'
  if (!isLoopback(site.url)) return [warning('origin', evidence, advice)]
  const rebound = { host: FOREIGN_HOST, origin: `http://${FOREIGN_HOST}` }
  // A page on another site does not have the token.
  const { status: other } = await tryInitialize(withoutToken(site), rebound)
  if (isRefused(other))
    return [warning('origin', `${evidence}, and with a foreign Host, too, with ${other}`, advice)]
  return [fault('origin', `${evidence}: any website can use this server by DNS rebinding`, advice)]
}

const isRefused = (status: number): boolean => status >= 400 && status < 500
