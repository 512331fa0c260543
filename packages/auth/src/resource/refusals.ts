import { Rejection } from '@jetway/core/http'
import type { Mode } from '../dpop/mode.ts'
import { type Challenge, challengeText, type Scheme } from './challenge.ts'

/**
 * A resource's refusals. Each is created once, so that the replies to all invalid tokens have the same bytes.
 */
export interface Refusals {
  /** The refusal of requests without a token. */
  readonly missing: Rejection
  readonly bearer: TokenRefusals
  readonly dpop: TokenRefusals & {
    readonly proof: Rejection
    readonly nonce: (nonce: string) => Rejection
  }
}

export interface TokenRefusals {
  readonly invalid: Rejection
  readonly insufficient: Rejection
}

export interface RefusalOptions {
  readonly mode: Mode
  /** The advertised names of the scopes that every request needs. */
  readonly scopes: readonly string[]
  /** The names of the same scopes in tokens. */
  readonly needed: readonly string[]
  readonly metadataUrl: string
}

/** The schemes in the challenge to a request without a proof. */
const SCHEMES: Readonly<Record<Mode, readonly Scheme[]>> = {
  off: ['Bearer'],
  accept: ['Bearer', 'DPoP'],
  require: ['DPoP'],
}

/** Returns the schemes for a challenge. A client that sends proofs does not need any other scheme. */
export const schemesFor = (mode: Mode, used: Scheme): readonly Scheme[] =>
  used === 'DPoP' ? ['DPoP'] : SCHEMES[mode]

export function createRefusals({ mode, scopes, needed, metadataUrl }: RefusalOptions): Refusals {
  const headers = (used: Scheme, error?: Challenge['error']): Record<string, string> => ({
    'www-authenticate': challengeText(
      { scopes, metadataUrl, ...(error !== undefined && { error }) },
      schemesFor(mode, used),
    ),
  })
  const ofToken = (used: Scheme): TokenRefusals => ({
    invalid: new Rejection(401, 'The access token is not valid', { headers: headers(used, 'invalid_token') }),
    insufficient: new Rejection(403, `This needs the scopes ${needed.join(' ')}`, {
      headers: headers(used, 'insufficient_scope'),
      reason: 'insufficientScope',
    }),
  })
  const forNonce = headers('DPoP', 'use_dpop_nonce')
  return {
    missing: new Rejection(401, 'Authentication is required', { headers: headers('Bearer') }),
    bearer: ofToken('Bearer'),
    dpop: {
      ...ofToken('DPoP'),
      proof: new Rejection(401, 'The DPoP proof is not valid', {
        headers: headers('DPoP', 'invalid_dpop_proof'),
      }),
      nonce: (nonce) =>
        new Rejection(401, 'The DPoP proof needs the nonce of the header DPoP-Nonce', {
          headers: { ...forNonce, 'dpop-nonce': nonce },
        }),
    },
  }
}
