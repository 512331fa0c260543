import { type ServerConfig, transportFor } from '@jetway/client/config'
import type { Finding } from './finding.ts'
import type { Examination, UrlSubject } from './subject.ts'

type RemoteSubject = Pick<UrlSubject, 'url' | 'headers'> & Partial<Pick<UrlSubject, 'name'>>

/** Matches a host's server, such as `cursor:weather`, but not a URL. */
const OF_HOST = /^[a-z-]+:(?!\/\/)(.+)$/

/** Checks a server at a URL. */
export async function examineUrl(
  { url, headers, name = '' }: RemoteSubject,
  examination: Examination,
): Promise<readonly Finding[]> {
  const { progress } = examination
  progress(`Sending requests to ${new URL(url).origin}`)
  const { checkHttp } = await import('./http/check-http.ts')
  const { findings, canConnect } = await checkHttp({ url, headers, progress })
  if (!canConnect) return findings
  const server = await examineServer({ url, headers }, examination, OF_HOST.exec(name)?.[1])
  return [...findings, ...server]
}

/**
 * The time limits for stopping the server. They are short, because the server is started several times and
 * its shutdown has already been checked.
 */
const STOP = { inputMs: 500, signal: 'SIGTERM', signalMs: 500 } as const

/** Runs the checks that apply to every reachable server. */
export async function examineServer(
  config: ServerConfig,
  { progress }: Examination,
  serverName?: string,
): Promise<readonly Finding[]> {
  const { checkProtocol } = await import('./protocol/protocol.ts')
  const { checkServerOffers } = await import('./offers/server-offers.ts')
  const target = transportFor('url' in config ? config : { ...config, stderr: 'ignore', stop: STOP })
  const protocol = await checkProtocol({ target, progress })
  const [{ verdict } = { verdict: 'skipped' }] = protocol
  const connects = verdict === 'ok' || verdict === 'warning'
  return connects ? [...protocol, ...(await checkServerOffers({ target, serverName }))] : protocol
}
