import type { JsonObject } from '@jetway/core/protocol'
import type { Finding } from '../finding.ts'
import { clip, fault, ok } from '../verdicts.ts'
import { readDocument } from './metadata.ts'
import { isLoopback, type Site } from './site.ts'

const CHECK = 'authorization-server'

/** Checks an issuer's metadata at each URL that clients try. */
export async function authorizationServerFinding(site: Site, issuer: string): Promise<Finding> {
  const shownIssuer = clip(issuer, 200)
  if (!mayAsk(site, issuer))
    return fault(CHECK, `${shownIssuer} is no https URL`, 'Name an issuer that clients reach by https')
  const problems: string[] = []
  for (const url of wellKnown(new URL(issuer))) {
    const { document, problem } = await readDocument(site, url)
    if (document !== undefined) return documentFinding(issuer, shownIssuer, document)
    problems.push(`${url.pathname} ${problem}`)
  }
  return fault(
    CHECK,
    `${shownIssuer} has no metadata: ${problems.join(', ')}`,
    'Check the issuer in authorization_servers: it must be the one in the metadata of the authorization server',
  )
}

/**
 * Returns whether to contact an issuer. Private URLs are not contacted, because a server may name any URL, even
 * one that can be reached only from this machine.
 */
function mayAsk({ url }: Site, issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const named = new URL(issuer)
  if (isLoopback(url)) return named.protocol === 'https:' || (named.protocol === 'http:' && isLoopback(named))
  return named.protocol === 'https:' && !isLoopback(named)
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery */
function wellKnown({ origin, pathname }: URL): readonly URL[] {
  const path = pathname.replace(/\/$/, '')
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => new URL(`${origin}/.well-known/${name}${path}`),
  )
  return path === '' ? inserted : [...inserted, new URL(`${origin}${path}/.well-known/openid-configuration`)]
}

function documentFinding(issuer: string, shownIssuer: string, document: JsonObject): Finding {
  const { issuer: own, code_challenge_methods_supported: methods } = document
  if (own !== issuer)
    return fault(
      CHECK,
      `${shownIssuer} calls itself ${clip(JSON.stringify(own ?? null), 200)}`,
      'Use exactly the issuer of its metadata in authorization_servers',
    )
  if (Array.isArray(methods) && methods.includes('S256')) return ok(CHECK, `${shownIssuer} has PKCE`)
  return fault(
    CHECK,
    `code_challenge_methods_supported of ${shownIssuer} has no S256`,
    'Turn on PKCE with S256 in the authorization server: clients refuse one without',
  )
}
