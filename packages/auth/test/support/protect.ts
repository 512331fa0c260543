import { FakeClock } from '@jetway-apps/test-support'
import { type Authenticate, type HttpRequest, type ProtectedMount, Rejection } from '@jetway/core/http'
import { oauth, type OAuthOptions } from '../../src/index.ts'
import { createIssuer, type TestIssuer } from './issuer.ts'
import { RESOURCE } from './requests.ts'

export const ISSUER = 'https://auth.example.com'

/** One log entry from a protected mount: its level, fields and message. */
export type Logged = readonly [level: string, fields: object, message: string]

/** A protected mount without a server. */
export interface Protected {
  readonly issuer: TestIssuer
  readonly clock: FakeClock
  /** Sends a request with a token. Returns the status of the refusal, or 200. */
  readonly send: (token: string, more?: Partial<HttpRequest>) => Promise<number>
  readonly authenticate: Authenticate
  readonly logged: readonly Logged[]
}

export async function protect(
  options: Partial<OAuthOptions> = {},
  mount: Partial<ProtectedMount> = {},
): Promise<Protected> {
  const clock = new FakeClock()
  const issuer = await createIssuer(options.issuer ?? ISSUER, () => clock.now())
  const logged: Logged[] = []
  const logger = Object.fromEntries(
    ['debug', 'info', 'warn', 'error'].map((level) => [
      level,
      (fields: object, message: string) => void logged.push([level, fields, message]),
    ]),
  ) as unknown as ProtectedMount['logger']
  const at = { publicUrl: RESOURCE, path: '/mcp', legacySse: undefined, clock, logger, ...mount }
  const given = oauth({ issuer: ISSUER, fetch: issuer.fetch, ...options })
  const authenticate = given.mount?.(at) ?? given
  const send = async (token: string, more?: Partial<HttpRequest>): Promise<number> => {
    const found = await authenticate(requestWith(token, more))
    return found instanceof Rejection ? found.status : 200
  }
  return { issuer, clock, send, authenticate, logged }
}

export const requestWith = (token: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  route: 'mcp',
  path: '/mcp',
  query: () => undefined,
  header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
  signal: new AbortController().signal,
  ...more,
})
