import type { OAuthOptions } from '@jetway/client/oauth'
import type { RevisionDate } from '@jetway/core/protocol'
import type { Mount } from '@jetway-apps/test-support/mounts'
import type { AuthorizationServer } from '@jetway/testing/authorization-server'
import { expect, onTestFinished, vi } from 'vitest'
import { call, connect, protect, startIssuer, userAgent } from './protected.ts'

/** A kind of registration: the client's options, and the expected number of dynamic registrations. */
export interface Registration {
  readonly options: (issuer: AuthorizationServer) => Partial<OAuthOptions>
  readonly registers: number
}

export const REGISTRATIONS: Readonly<Record<string, Registration>> = {
  'a metadata document': {
    options: ({ clientMetadataUrl }) => ({ clientMetadataUrl }),
    registers: 0,
  },
  'dynamic registration': {
    options: () => ({ registration: { clientName: 'Test' } }),
    registers: 1,
  },
  'registration by hand': { options: ({ client }) => ({ clients: [client] }), registers: 0 },
}

/** The newest revision with sessions, and the newest one without. */
export const ERAS: readonly RevisionDate[] = ['2025-11-25', '2026-07-28']

/** The clock difference that the servers tolerate, in seconds. */
export const TOLERANCE_S = 60

/** Sets the date until the end of the test. Sockets and timers continue to work. */
export function fakeDate(): { pass(seconds: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return { pass: (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000) }
}

/** Signs in after a 401, obtains more scopes, and renews the token after its expiry. */
export async function runFlow(
  mount: Mount,
  revision: RevisionDate,
  { options, registers }: Registration,
): Promise<void> {
  const time = fakeDate()
  const issuer = await startIssuer()
  const url = await protect(issuer, mount, { revisions: [revision] })
  const start = Date.now()
  // The client's clock does not advance, so the client learns of the expiry from a 401.
  const { auth, asked } = userAgent(issuer, { ...options(issuer), clock: { now: () => start } })

  const { client, sent } = await connect(url, auth)
  const answer = await call(client, 'whoami')
  expect(answer).toContain('alice by ')
  expect(sent[0]?.status).toBe(401)
  expect(asked).toEqual(['mcp offline_access'])

  expect(await call(client, 'write')).toBe('written')
  expect(sent.slice(-2).map(({ status }) => status)).toEqual([403, 200])
  expect(asked.slice(1)).toEqual(['mcp files:write offline_access'])

  time.pass(issuer.lifetime + TOLERANCE_S + 1)
  expect(await call(client, 'whoami')).toBe(answer)
  expect(sent.slice(-2).map(({ status }) => status)).toEqual([401, 200])
  expect(await call(client, 'write')).toBe('written')
  expect(asked).toHaveLength(2)
  expect(issuer.requests('token')).toBe(3)
  expect(issuer.requests('registration')).toBe(registers)

  const sessions = new Set(sent.map(({ session }) => session).filter((session) => session !== null))
  expect(sessions.size).toBe(revision === ERAS[0] ? 1 : 0)
}
