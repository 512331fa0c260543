import type { TransportFactory } from '@jetway/client'
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  type JsonObject,
  Method,
  PROTOCOL_VERSION,
  type Revision,
  REVISIONS,
  type RevisionDate,
} from '@jetway/core/protocol'
import { ownVersion } from '../../version.ts'
import type { Finding } from '../finding.ts'
import { clip, fault, ok, warning } from '../verdicts.ts'
import { ask } from './ask.ts'
import { describeError } from './try-revision.ts'

/** Nonexistent revisions. */
const TOO_OLD = '1999-01-01'
const TOO_NEW = '2999-01-01'

const CHECK = 'unknown-revision'
const ADVICE = 'Answer with a revision that the server implements, not with the proposed one'

/**
 * Proposes nonexistent revisions.
 *
 * @param answered - the revisions with which a client could connect
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export async function checkUnknownRevisions(
  target: TransportFactory,
  answered: readonly string[],
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const spoken = REVISIONS.filter(({ version }) => answered.includes(version))
  const modern = spoken.find(({ era }) => era === 'modern')
  const probes = [
    ...(spoken.some(({ era }) => era === 'legacy')
      ? [TOO_OLD, TOO_NEW].map((version) => () => proposeInitialize(target, version, { answered, timeoutMs }))
      : []),
    ...(modern === undefined ? [] : [() => proposeDiscover(target, TOO_NEW, { modern, timeoutMs })]),
  ]
  const findings: Finding[] = []
  for (const probe of probes) {
    const found = await probe()
    if (found !== undefined) findings.push(found)
  }
  if (findings.length === 0 && probes.length > 0)
    return [ok(CHECK, `does not accept ${TOO_OLD} or ${TOO_NEW}`)]
  return findings
}

async function proposeInitialize(
  target: TransportFactory,
  version: string,
  { answered, timeoutMs }: { readonly answered: readonly string[]; readonly timeoutMs: number },
): Promise<Finding | undefined> {
  const saw = (what: string): string => `initialize with ${version} was answered with ${what}`
  const params = { protocolVersion: version, capabilities: {}, clientInfo: clientInfo() }
  const message = { jsonrpc: '2.0' as const, id: 1, method: Method.Initialize, params }
  const reply = await ask(target, { message, revision: undefined, timeoutMs }).catch(
    (error: unknown) => error,
  )
  if (reply instanceof Error)
    return warning(
      CHECK,
      saw(describeError(reply)),
      'Answer with the newest revision that the server implements',
    )
  const { protocolVersion: got } = reply as JsonObject
  if (got === version) return fault(CHECK, saw(version), ADVICE)
  if (typeof got !== 'string') return fault(CHECK, saw('no protocolVersion'), ADVICE)
  const known = REVISIONS.some((revision) => revision.version === got)
  // The server may implement a revision that this client does not know.
  return known && !answered.includes(got)
    ? fault(CHECK, saw(`${got}, which it does not speak`), ADVICE)
    : undefined
}

async function proposeDiscover(
  target: TransportFactory,
  version: string,
  { modern, timeoutMs }: { readonly modern: Revision; readonly timeoutMs: number },
): Promise<Finding | undefined> {
  const meta = { [PROTOCOL_VERSION]: version, [CLIENT_CAPABILITIES]: {}, [CLIENT_INFO]: clientInfo() }
  const reply = await ask(target, {
    message: { jsonrpc: '2.0', id: 1, method: Method.Discover, params: { _meta: meta } },
    // The transport also sends the version in a header.
    revision: { ...modern, version: version as RevisionDate },
    headers: { 'Mcp-Method': Method.Discover },
    timeoutMs,
  }).catch(() => undefined)
  if (reply === undefined) return undefined
  return fault(
    CHECK,
    `server/discover with ${version} was answered with ${clip(JSON.stringify(reply['supportedVersions'] ?? 'a result'), 128)}`,
    'Answer requests of unknown revisions with the error -32022',
  )
}

const clientInfo = (): JsonObject => ({ name: 'jetway-doctor', version: ownVersion() })
