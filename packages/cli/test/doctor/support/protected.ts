import type { RequestListener } from 'node:http'
import { oauth } from '@jetway/auth'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { jetway, json, serve } from './remote.ts'

/** An authorization server with metadata and keys, and a Jetway server that accepts its tokens. */
export interface Protected {
  readonly listener: RequestListener
  readonly issuer: string
  readonly token: (resource: string) => Promise<string>
  /** The headers of all requests to the authorization server. */
  readonly seen: readonly unknown[]
}

export async function protectedServer(metadata: object = {}): Promise<Protected> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }
  const seen: unknown[] = []
  const issuer = await serve((request, response) => {
    seen.push(request.headers)
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/oauth-authorization-server': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...metadata,
      },
      '/jwks': { keys: [jwk] },
    }
    const document = documents[request.url ?? '']
    json(response, document === undefined ? 404 : 200, document ?? {})
  })
  return {
    issuer,
    listener: jetway({ authenticate: oauth({ issuer, scopes: ['mcp'] }) }),
    seen,
    token: (resource) =>
      new SignJWT({ scope: 'mcp', client_id: 'client' })
        .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(resource)
        .setSubject('user')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
  }
}
