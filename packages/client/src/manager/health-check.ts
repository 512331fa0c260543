import { McpError } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Client } from '../client/client.ts'
import { SessionLostError, TransportError } from '../errors.ts'
import { withTimeout } from '../util/promises.ts'

interface CheckedServer {
  readonly client: Client | undefined
  readonly life: AbortSignal
  lost(client: Client): void
}

const TIMEOUT_MS = 5_000

/**
 * Returns a function that pings a server after a request has failed, because over HTTP there is no other sign
 * that a server is gone. The function resolves when the server has responded or has been reported as lost. It
 * never rejects.
 */
export function healthCheck(
  server: CheckedServer,
  clock: Clock,
): (client: Client, error: unknown) => Promise<void> {
  let running: { readonly client: Client; readonly done: Promise<void> } | undefined

  async function ping(client: Client): Promise<void> {
    const late = (): Error => new Error('No response')
    try {
      const pong = client.ping({ timeoutMs: TIMEOUT_MS, signal: server.life })
      await withTimeout(pong, { ms: TIMEOUT_MS, clock, late })
    } catch (error) {
      // An error response also shows that the server is still there.
      if (error instanceof McpError || (error instanceof TransportError && !mayBeDead(error))) return
      server.lost(client)
    }
  }

  return async (client, error) => {
    if (server.client !== client) return
    // The client has already tried to open a new session.
    if (error instanceof SessionLostError) server.lost(client)
    if (!mayBeDead(error)) return
    if (running?.client !== client)
      running = { client, done: ping(client).finally(() => (running = undefined)) }
    await running.done
  }
}

/** Returns whether the server may be gone. Any 4xx status except 404 shows that the server is still there. */
function mayBeDead(error: unknown): boolean {
  if (!(error instanceof TransportError) || error.authFailed) return false
  const { status } = error
  return status === undefined || status >= 500 || status === 404
}
