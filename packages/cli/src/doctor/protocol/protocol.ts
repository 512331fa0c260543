import type { TransportFactory } from '@jetway/client'
import { REVISIONS } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { fault, ok, skipped, warning } from '../verdicts.ts'
import { describeError, NEEDS_TOKEN, needsAuthorization, tryRevisions, type Try } from './try-revision.ts'
import { checkUnknownRevisions } from './unknown-revision.ts'

export interface ProtocolSubject {
  /** Creates a transport, once for each connection. */
  readonly target: TransportFactory
  /** Informs the user about slow steps. */
  readonly progress: (text: string) => void
  /** The time limit for one connection, in ms. @default 10_000 */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
/** The number of newest revisions that count as current. A server that supports none of them is outdated. */
const CURRENT = 2

/** Connects with each revision, and with nonexistent revisions. */
export async function checkProtocol({
  target,
  progress,
  timeoutMs = TIMEOUT_MS,
}: ProtocolSubject): Promise<readonly Finding[]> {
  // The first connection negotiates, as hosts do.
  const all = await tryRevisions(target, undefined, timeoutMs)
  if (all.kind === 'failed') return [await connectFinding(all.error, target, timeoutMs)]
  const tries: [string, Try][] = []
  for (const { version } of REVISIONS) {
    // Progress is reported for each connection, because a server may start slowly.
    if (version !== all.version) progress(`Connecting with ${version}`)
    tries.push([version, version === all.version ? all : await tryRevisions(target, [version], timeoutMs)])
  }
  const answered = tries.flatMap(([version, { kind }]) => (kind === 'answered' ? [version] : []))
  return [
    answeredFinding(answered),
    ...tries.flatMap(([version, one]) =>
      one.kind === 'failed' && one.unexpected ? [failedFinding(version, one.error)] : [],
    ),
    ...(await checkUnknownRevisions(target, answered, timeoutMs)),
  ]
}

const LEGACY = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)
const UNKNOWN_METHOD =
  'Answer unknown methods with the error -32601: clients try server/discover before initialize'

async function connectFinding(error: unknown, target: TransportFactory, timeoutMs: number): Promise<Finding> {
  if (needsAuthorization(error)) return skipped('revisions', NEEDS_TOKEN)
  const older = await tryRevisions(target, LEGACY, timeoutMs)
  if (older.kind === 'answered')
    return fault(
      'revisions',
      `server/discover: ${describeError(error)}. Without it, initialize is answered`,
      UNKNOWN_METHOD,
    )
  return fault(
    'revisions',
    `Connecting has failed: ${describeError(error)}`,
    'Make the server answer initialize with a revision that it implements',
  )
}

function answeredFinding(answered: readonly string[]): Finding {
  const evidence = `answers ${answered.join(', ') || 'no known revision'}`
  const newest = REVISIONS.slice(0, CURRENT).map(({ version }) => version as string)
  return answered.some((version) => newest.includes(version))
    ? ok('revisions', evidence)
    : warning('revisions', evidence, `Update the server's SDK: ${newest[1]} is answered by current ones`)
}

function failedFinding(version: string, error: unknown): Finding {
  const evidence = `${version}: ${describeError(error)}`
  const modern = REVISIONS.some((each) => each.version === version && each.era === 'modern')
  return modern
    ? warning('revisions', evidence, UNKNOWN_METHOD)
    : fault('revisions', evidence, 'Answer initialize with another revision if the proposed one is unknown')
}
