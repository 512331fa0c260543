import type { Finding } from '../finding.ts'
import { fault, warning } from '../verdicts.ts'
import { checkAuthorization } from './authorization.ts'
import { checkCors } from './cors.ts'
import { connectionFinding, noServerFinding, refusalFinding } from './endpoint.ts'
import { NoReplyError } from './exchange.ts'
import { checkOrigin } from './origin.ts'
import { checkSession, checkSessionEnd } from './session-rules.ts'
import { openServer } from './sessions.ts'
import { initializeMessage, hasToken, post, type RpcReply, type Site, withoutToken } from './site.ts'
import { checkStream } from './streams.ts'

export interface HttpSubject {
  readonly url: string
  /** The user's headers, such as `authorization`. They are sent only to this URL. */
  readonly headers: Readonly<Record<string, string>>
  /** Informs the user about slow steps. */
  readonly progress: (text: string) => void
  /** The maximum time to wait for data on a silent stream, in ms. @default 20_000 */
  readonly keepAliveMs?: number
}

const REPLY_MS = 10_000
const FIRST_BYTES_MS = 2_000
const KEEP_ALIVE_MS = 20_000

/** The result of the HTTP checks. */
export interface HttpReport {
  readonly findings: readonly Finding[]
  /** Whether a client can connect. Further checks require this. */
  readonly canConnect: boolean
}

/** Checks how a server and the proxies in front of it handle HTTP, without calling tools. */
export async function checkHttp({
  url,
  headers,
  progress,
  keepAliveMs = KEEP_ALIVE_MS,
}: HttpSubject): Promise<HttpReport> {
  const site: Site = {
    url: new URL(url),
    headers,
    progress,
    replyMs: REPLY_MS,
    firstBytesMs: FIRST_BYTES_MS,
    keepAliveMs,
  }
  try {
    const started = performance.now()
    const reply = await post(site, initializeMessage())
    return await examine(site, reply, performance.now() - started)
  } catch (error) {
    if (error instanceof NoReplyError)
      return { findings: [connectionFinding(site, error)], canConnect: false }
    throw error
  }
}

async function examine(site: Site, reply: RpcReply, replyMs: number): Promise<HttpReport> {
  if (reply.status === 401) {
    const refused = hasToken(site)
      ? [fault('token', 'the token was refused with 401', 'Get a new token for this URL')]
      : []
    return { findings: [...refused, ...(await checkAuthorization(withoutToken(site)))], canConnect: false }
  }
  const refusal = refusalFinding(site, reply)
  if (refusal !== undefined) return { findings: [refusal], canConnect: false }
  const opened = await openServer(site, reply, replyMs)
  if (opened === undefined) {
    const finding = await noServerFinding(site, reply)
    return { findings: [finding], canConnect: finding.verdict !== 'fault' }
  }
  const checks: readonly (readonly [string, () => Promise<readonly Finding[]>])[] = [
    ['authorization', async () => (hasToken(site) ? checkAuthorization(withoutToken(site)) : [])],
    ['origin', () => checkOrigin(site)],
    ['session-id', () => checkSession(site, opened)],
    ['cors', () => checkCors(site)],
    ['stream', () => checkStream(site, opened)],
    ['session-end', () => checkSessionEnd(site, opened)],
  ]
  const findings: Finding[] = []
  for (const [name, check] of checks) findings.push(...(await check().catch(noReplyTo(name))))
  return { findings, canConnect: true }
}

/** Reports a request that received no reply. The other checks continue, because the server has replied before. */
const noReplyTo =
  (check: string) =>
  (error: unknown): readonly Finding[] => {
    if (!(error instanceof NoReplyError)) throw error
    const advice = 'Look in the logs of the server and its proxies for the request'
    return [warning(check, `a request got no reply: ${error.code}`, advice)]
  }
