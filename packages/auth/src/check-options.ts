import { areScopes, checkNames, checkOption, type OptionNames } from '@jetway/core/protocol'
import type { ResolvedDpop } from './dpop/mode.ts'
import { jwt } from './issuers/jwt.ts'
import { isTrustworthy } from './issuers/fetch-json.ts'
import type { IssuerOptions, OAuthOptions, TokenCacheOptions } from './options.ts'

const MAX_ISSUERS = 16
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
  dpop: 1,
  cache: CACHE,
  fetch: 1,
}

/** The checked options of `oauth`. */
export interface CheckedOptions extends Omit<OAuthOptions, 'dpop' | 'issuers'> {
  readonly dpop: ResolvedDpop
  readonly issuers: readonly Required<IssuerOptions>[]
}

/**
 * Checks the options, and lists the issuers.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function checkedIssuers(options: OAuthOptions): CheckedOptions['issuers'] {
  checkNames(options, NAMES)
  checkValues(options)
  const { issuer, token, issuers } = options
  checkOption(
    'issuer',
    (issuer === undefined) !== (issuers === undefined),
    'or the option issuers must be set, not both',
  )
  checkOption('token', token === undefined || issuer !== undefined, 'needs the option issuer')
  const given = issuers ?? [{ issuer: issuer as string, ...(token !== undefined && { token }) }]
  checkOption(
    'issuers',
    Array.isArray(given) && given.length > 0 && given.length <= MAX_ISSUERS,
    `must be 1 to ${MAX_ISSUERS}`,
  )
  const all = given.map((one) => ({ issuer: one.issuer, token: one.token ?? jwt() }))
  for (const { issuer: url } of all)
    checkOption(
      'issuer',
      typeof url === 'string' && isTrustworthy(url),
      'must be an https: URL, or on loopback http:',
    )
  checkOption('issuers', new Set(all.map((one) => one.issuer)).size === all.length, 'must differ')
  checkOption(
    'issuers',
    all.filter(({ token: { kind } }) => kind === 'opaque').length <= 1,
    'can have introspection once',
  )
  return all
}

function checkValues({ audience, scopes = [], implies = {}, cache }: OAuthOptions): void {
  const audiences = typeof audience === 'string' ? [audience] : audience
  const named = audiences === undefined || (audiences.length > 0 && audiences.every((one) => one !== ''))
  checkOption('audience', named, 'must not be empty: tokens for other servers would be accepted')
  checkScopes('scopes', scopes)
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
  checkOption(
    'scopes',
    !scopes.includes('offline_access'),
    'must not have offline_access: clients add it themselves',
  )
  for (const list of Object.values(implies)) checkScopes('implies', list)
  checkScopes('implies', Object.keys(implies))
  for (const [name, value] of Object.entries(cache === false ? {} : (cache ?? {})))
    checkOption(`cache.${name}`, Number.isSafeInteger(value) && value > 0, 'must be a whole number above 0')
}

function checkScopes(name: string, scopes: unknown): void {
  const valid = Array.isArray(scopes) && (scopes.length === 0 || areScopes(scopes))
  checkOption(name, valid, "must have lists of scopes, such as ['mcp']")
}
