import { Client, type TransportFactory } from '@jetway/client'
import { fetchOffers } from '../../list/offers.ts'
import { ownVersion } from '../../version.ts'
import type { Finding } from '../finding.ts'
import { NEEDS_TOKEN, needsAuthorization } from '../protocol/try-revision.ts'
import { fault, skipped, some } from '../verdicts.ts'
import { checkOffers } from './offers.ts'

export interface ServerOffersSubject {
  readonly target: TransportFactory
  /** The server's name in the host. If it is undefined because no host has the server, the server's own name is used. */
  readonly serverName?: string | undefined
}

const TIMEOUT_MS = 10_000

/** Connects, fetches all lists, and checks them. */
export async function checkServerOffers({
  target,
  serverName,
}: ServerOffersSubject): Promise<readonly Finding[]> {
  const client = new Client(
    { name: 'jetway-doctor', version: ownVersion() },
    { eras: false, timeoutMs: TIMEOUT_MS, connectTimeoutMs: TIMEOUT_MS },
  )
  const left: string[] = []
  // The client drops invalid entries from the lists. Other errors are reported by other checks.
  client.on('error', ({ message }) => {
    if (message.includes('left out')) left.push(message)
  })
  try {
    await client.connect(target)
    const offers = await fetchOffers(client)
    const findings = await checkOffers({ offers, serverName: serverName ?? client.server?.info?.name })
    if (left.length === 0) return findings
    return [
      fault('lists', some(left), 'Give each entry the members that the schema of MCP requires'),
      ...findings,
    ]
  } catch (error) {
    // Some servers require a token only for lists.
    if (needsAuthorization(error)) return [skipped('lists', NEEDS_TOKEN)]
    const reason = error instanceof Error ? error.message : String(error)
    return [fault('lists', `The lists cannot be fetched: ${reason}`, 'Check the log of the server')]
  } finally {
    await client.close()
  }
}
