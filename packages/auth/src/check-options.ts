import { UsageError } from '@jetway/core'
import { checkNames, type OptionNames } from '@jetway/core/protocol'
import { jwt } from './jwt/jwt.ts'
import { isTrustworthy } from './keys/fetch-json.ts'
import type { IssuerOptions, OAuthOptions, TokenCacheOptions } from './options.ts'

const MAX_ISSUERS = 16
/** https://www.rfc-editor.org/rfc/rfc6749#section-3.3 */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/
const CACHE: OptionNames<TokenCacheOptions> = { max: 1, ttlMs: 1 }
const NAMES: OptionNames<OAuthOptions> = {
  issuer: 1,
  token: 1,
  issuers: 1,
  resource: 1,
  audience: 1,
  scopes: 1,
  implies: 1,
  advertise: 1,
  principal: 1,
  metadata: 1,
  root: 1,
  cache: CACHE,
  fetch: 1,
}

export type Issuer = Required<IssuerOptions>

/** @throws `ERR_MCP_OPTION` */
export function check(name: string, valid: boolean, rule: string): void {
  if (!valid) throw new UsageError('ERR_MCP_OPTION', `The option ${name} of oauth ${rule}`)
}

/**
 * Checks the options, and lists the issuers.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function checkedIssuers(options: OAuthOptions): readonly Issuer[] {
  checkNames(options, NAMES)
  checkValues(options)
  const { issuer, token, issuers } = options
  check(
    'issuer',
    (issuer === undefined) !== (issuers === undefined),
    'or the option issuers must be set, not both',
  )
  check('token', token === undefined || issuer !== undefined, 'needs the option issuer')
  const given = issuers ?? [{ issuer: issuer as string, ...(token !== undefined && { token }) }]
  check(
    'issuers',
    Array.isArray(given) && given.length > 0 && given.length <= MAX_ISSUERS,
    `must be 1 to ${MAX_ISSUERS}`,
  )
  const all = given.map((one) => ({ issuer: one.issuer, token: one.token ?? jwt() }))
  for (const { issuer: url } of all)
    check(
      'issuer',
      typeof url === 'string' && isTrustworthy(url),
      'must be an https: URL, or on loopback http:',
    )
  check('issuers', new Set(all.map((one) => one.issuer)).size === all.length, 'must differ')
  check(
    'issuers',
    all.filter(({ token: { kind } }) => kind === 'opaque').length <= 1,
    'can have introspection once',
  )
  return all
}

function checkValues({ audience, scopes = [], implies = {}, cache }: OAuthOptions): void {
  const audiences = typeof audience === 'string' ? [audience] : audience
  const named = audiences === undefined || (audiences.length > 0 && audiences.every((one) => one !== ''))
  check('audience', named, 'must not be empty: tokens for other servers would be accepted')
  checkScopes('scopes', scopes)
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
  check(
    'scopes',
    !scopes.includes('offline_access'),
    'must not have offline_access: clients add it themselves',
  )
  for (const list of Object.values(implies)) checkScopes('implies', list)
  checkScopes('implies', Object.keys(implies))
  for (const [name, value] of Object.entries(cache === false ? {} : (cache ?? {})))
    check(`cache.${name}`, Number.isSafeInteger(value) && value > 0, 'must be a whole number above 0')
}

function checkScopes(name: string, scopes: unknown): void {
  const valid =
    Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string' && SCOPE.test(scope))
  check(name, valid, "must have lists of scopes, such as ['mcp']")
}
