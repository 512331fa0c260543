import { checkNames, checkOption, type OptionNames } from '@jetway/core/protocol'
import { Discovery } from './discovery.ts'
import { isTrustworthy } from './fetch-json.ts'
import { KeySet } from './key-set.ts'
import { Unavailable } from '../tokens/refused.ts'
import type { TokenCheck } from './token-check.ts'
import { ALGORITHMS } from '../tokens/algorithms.ts'
import { JwtVerifier } from './verify.ts'

/** The options of {@link jwt}. */
export interface JwtOptions {
  /** The address of the issuer's keys. @default the `jwks_uri` in the issuer's metadata */
  readonly jwksUri?: string
  /**
   * The accepted signature algorithms.
   *
   * @default RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, Ed25519, EdDSA
   */
  readonly algorithms?: readonly string[]
  /**
   * `at+jwt` accepts only tokens whose header declares them as access tokens (RFC 9068). Few authorization
   * servers issue such tokens.
   *
   * @default 'any'
   */
  readonly typ?: 'any' | 'at+jwt'
}

const NAMES: OptionNames<JwtOptions> = { jwksUri: 1, algorithms: 1, typ: 1 }

/**
 * Checks access tokens in JWT format with their issuer's keys. The keys are fetched on first use.
 *
 * @throws `ERR_MCP_OPTION`
 * @see https://www.rfc-editor.org/rfc/rfc9068
 */
export function jwt(options: JwtOptions = {}): TokenCheck {
  checkNames(options, NAMES)
  const { jwksUri, algorithms = ALGORITHMS, typ = 'any' } = options
  checkOption('jwksUri', jwksUri === undefined || isTrustworthy(jwksUri), 'must be an https: URL')
  checkOption(
    'algorithms',
    algorithms.length > 0 && algorithms.every((name) => ALGORITHMS.includes(name)),
    `must be one or more of ${ALGORITHMS.join(', ')}`,
  )
  checkOption('typ', ['any', 'at+jwt'].includes(typ), "must be 'any' or 'at+jwt'")
  return {
    kind: 'jwt',
    create({ issuer, clock, logger, fetchJson }) {
      const discovery = new Discovery(issuer, fetchJson, clock)
      const keys = new KeySet({
        uri: async () => jwksUri ?? checkedUri((await discovery.metadata()).jwks_uri, issuer),
        onFailure: () => discovery.doubt(),
        fetchJson,
        clock,
        logger,
      })
      return new JwtVerifier({ issuer, keys, algorithms, typ, clock })
    },
  }
}

function checkedUri(uri: unknown, issuer: string): string {
  if (typeof uri !== 'string') throw new Unavailable(`The metadata of ${issuer} has no jwks_uri`)
  return uri
}
