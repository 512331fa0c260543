import type { JsonObject } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { clip, fault, ok, skipped, warning } from '../verdicts.ts'
import { authorizationServerFinding } from './authorization-server.ts'
import { type HttpReply, shown } from './exchange.ts'
import { type Metadata, readDocument } from './metadata.ts'
import { initializeMessage, post, type Site } from './site.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const MAX_ISSUERS = 3

/**
 * Follows the steps of a client without a token: the challenge, the resource's metadata, and the metadata of
 * its authorization servers.
 *
 * @param site - the server, without a token
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export async function checkAuthorization(site: Site): Promise<readonly Finding[]> {
  const reply = await post(site, initializeMessage())
  if (reply.status !== 401)
    return [skipped('authorization', `without the token, initialize is answered with ${reply.status}`)]
  const challenge = challengeOf(reply)
  const inserted = new URL(`${WELL_KNOWN}${site.url.pathname === '/' ? '' : site.url.pathname}`, site.url)
  const atInserted = await readMetadata(site, inserted)
  const named = namedMetadata(challenge, site.url)
  const atNamed = named === undefined ? undefined : await readMetadata(site, named)
  const metadata = atNamed?.document ?? atInserted.document
  return [
    challengeFinding(challenge, named, atInserted.document !== undefined),
    metadataFinding(inserted, atInserted, named, atNamed),
    ...(metadata === undefined
      ? []
      : [audienceFinding(site.url, metadata), ...(await issuerFindings(site, metadata))]),
  ]
}

const challengeOf = ({ headers }: HttpReply): string | undefined => headers['www-authenticate']

function namedMetadata(challenge: string | undefined, base: URL): URL | undefined {
  const [, quoted, plain] =
    /\bresource_metadata\s*=\s*(?:"([^"]{1,2048})"|([^\s",]{1,2048}))/i.exec(challenge ?? '') ?? []
  const text = quoted ?? plain
  return text !== undefined && URL.canParse(text, base) ? new URL(text, base) : undefined
}

function challengeFinding(challenge: string | undefined, named: URL | undefined, isFound: boolean): Finding {
  const advice = 'Add WWW-Authenticate: Bearer resource_metadata="…" to the reply with 401'
  if (challenge === undefined) return fault('authorization', '401 without WWW-Authenticate', advice)
  // If the challenge names no metadata, clients try the well-known URL.
  if (named === undefined)
    return (isFound ? warning : fault)(
      'authorization',
      '401 whose WWW-Authenticate has no resource_metadata',
      advice,
    )
  return ok('authorization', `401 names ${shown(named)}`)
}

/** Reads metadata without the user's headers, because the URL may belong to another server. */
async function readMetadata(site: Site, url: URL): Promise<Metadata> {
  if (url.origin !== site.url.origin)
    return { document: undefined, problem: 'has another origin than the server' }
  return readDocument(site, url)
}

function metadataFinding(
  inserted: URL,
  atInserted: Metadata,
  named: URL | undefined,
  atNamed: Metadata | undefined,
): Finding {
  if (named !== undefined && atNamed?.document === undefined)
    return fault(
      'resource-metadata',
      `${shown(named)}, which the challenge names, ${atNamed?.problem}`,
      'Serve the metadata at this URL',
    )
  if (atInserted.document !== undefined) return ok('resource-metadata', shown(inserted))
  const evidence = `${shown(inserted)} ${atInserted.problem}`
  return (named === undefined ? fault : warning)(
    'resource-metadata',
    evidence,
    `Serve the metadata at ${inserted.pathname}`,
  )
}

/** https://www.rfc-editor.org/rfc/rfc9728#section-3.3 */
function audienceFinding(url: URL, { resource }: JsonObject): Finding {
  const wanted = shown(url)
  const advice = `Set the resource of the metadata to ${wanted} (Jetway: publicUrl)`
  if (typeof resource !== 'string') return fault('audience', 'the metadata has no resource', advice)
  const evidence = `the resource of the metadata is ${clip(resource, 200)}, the URL is ${wanted}`
  if (!URL.canParse(resource)) return fault('audience', evidence, advice)
  const { origin, pathname } = new URL(resource)
  const above = pathname.endsWith('/') ? pathname : `${pathname}/`
  if (origin !== url.origin || !`${url.pathname}/`.startsWith(above))
    return fault('audience', evidence, advice)
  return origin + pathname === wanted ? ok('audience', wanted) : warning('audience', evidence, advice)
}

async function issuerFindings(
  site: Site,
  { authorization_servers: issuers }: JsonObject,
): Promise<readonly Finding[]> {
  const named = Array.isArray(issuers) ? issuers.filter((each) => typeof each === 'string') : []
  if (named.length === 0)
    return [
      fault(
        'authorization-server',
        'the metadata lists no authorization_servers',
        'List the issuer whose tokens the server accepts',
      ),
    ]
  return Promise.all(named.slice(0, MAX_ISSUERS).map((issuer) => authorizationServerFinding(site, issuer)))
}
