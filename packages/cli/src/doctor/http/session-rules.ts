import { randomUUID } from 'node:crypto'
import type { Finding } from '../finding.ts'
import { fault, ok, skipped, warning } from '../verdicts.ts'
import { endSession, type Opened } from './sessions.ts'
import { PING, post, type Site } from './site.ts'

/** Sends a request with an unknown session id. */
export async function checkSession(site: Site, { session, sessionId }: Opened): Promise<readonly Finding[]> {
  if (sessionId === undefined) return [skipped('session-id', 'the server has no sessions')]
  const { status } = await post(site, PING, { ...session, 'mcp-session-id': randomUUID() })
  const evidence = `an unknown Mcp-Session-Id was answered with ${status}`
  if (status === 404) return [ok('session-id', evidence)]
  return [fault('session-id', evidence, 'Answer it with 404: then clients open a new session')]
}

/** Ends the session that was used for the checks. */
export async function checkSessionEnd(
  site: Site,
  { session, sessionId }: Opened,
): Promise<readonly Finding[]> {
  if (session === undefined || sessionId === undefined) return []
  const { status } = await endSession(site, session)
  const evidence = `DELETE was answered with ${status}`
  if ((status >= 200 && status < 300) || status === 405) return [ok('session-end', evidence)]
  return [warning('session-end', evidence, 'End the session on DELETE, or answer it with 405')]
}
