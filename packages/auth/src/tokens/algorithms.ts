/**
 * The accepted algorithms. All of them use asymmetric keys. With `HS256`, anyone who knows the public key could
 * sign.
 */
export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
  'EdDSA',
]
