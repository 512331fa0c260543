import process from 'node:process'
import { jwt, oauth } from '@jetway/auth'
import type { AuthInfo } from '@jetway/core'
import { type Authenticate, bearer } from '@jetway/core/http'
import { importSPKI, type JWTPayload, jwtVerify } from 'jose'

// #region jwks
export const byKeySet = oauth({
  issuer: 'https://login.example.com',
  token: jwt({ jwksUri: 'https://login.example.com/keys.json' }),
})
// #endregion

// #region caller
/** Returns the caller. The token's signature, issuer, audience and time have already been checked. */
function callerOf({ sub = '', exp, scope }: JWTPayload): AuthInfo {
  const scopes = typeof scope === 'string' ? scope.split(' ') : []
  return { principal: sub, scopes, ...(exp !== undefined && { expiresAt: exp }) }
}
// #endregion

// #region public-key
/** @param pem - the issuer's public key: `-----BEGIN PUBLIC KEY-----…` */
export async function byPublicKey(pem: string): Promise<Authenticate> {
  const key = await importSPKI(pem, 'RS256')
  const expected = {
    algorithms: ['RS256'],
    issuer: 'https://login.example.com',
    audience: 'https://api.example.com/mcp',
    requiredClaims: ['sub', 'exp'],
  }
  return bearer({ verify: async (token) => callerOf((await jwtVerify(token, key, expected)).payload) })
}
// #endregion

// #region secret
/** @param secret - at least 32 random bytes, such as the output of `openssl rand -base64 32` */
export function bySecret(secret = process.env['JWT_SECRET'] ?? ''): Authenticate {
  const key = Buffer.from(secret, 'base64')
  if (key.length < 32) throw new Error('JWT_SECRET must be at least 32 bytes in base64')
  const expected = {
    algorithms: ['HS256'],
    audience: 'https://api.example.com/mcp',
    requiredClaims: ['sub', 'exp'],
  }
  return bearer({ verify: async (token) => callerOf((await jwtVerify(token, key, expected)).payload) })
}
// #endregion
