import type { AuthInfo } from '@jetway/core'
import type { Authenticate, HttpRequest, ProtectedMount, Rejection } from '@jetway/core/http'
import { checkOption } from '@jetway/core/protocol'
import { checkedIssuers } from './check-options.ts'
import { resolveDpop } from './dpop/mode.ts'
import { isLoopback } from './issuers/fetch-json.ts'
import type { OAuthOptions } from './options.ts'
import { AllDocuments } from './resource/metadata.ts'
import { Protection } from './protection.ts'

/**
 * Protects a mount with OAuth 2.1. Pass it to the mount's `authenticate` option. Every request then needs an
 * access token that was issued for this server. Clients find the authorization server through the challenge
 * and the metadata, both of which the mount serves. The same value may protect several mounts.
 *
 * @throws `ERR_MCP_OPTION`; the mount also throws this error if there is no `publicUrl` and an issuer is not
 * on loopback
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function oauth(options: OAuthOptions): Authenticate {
  const issuers = checkedIssuers(options)
  const dpop = resolveDpop(options.dpop)
  const documents = new AllDocuments()
  const mount = (at: ProtectedMount): Authenticate => {
    const local = issuers.every(({ issuer }) => isLoopback(new URL(issuer)))
    checkOption(
      'dpop.nonce',
      at.usedStates === undefined || dpop.nonces?.isShared !== false,
      'needs keys, because the option shared says that there are several processes',
    )
    const protection = new Protection({ ...options, dpop, issuers }, at)
    checkOption(
      'resource',
      protection.known !== undefined || local,
      'is missing: set it, or publicUrl of the mount, to the address that clients use',
    )
    documents.add(protection.documents)
    const authenticate = (request: HttpRequest): ReturnType<Authenticate> => protection.authenticate(request)
    return Object.assign(authenticate, {
      wellKnown: protection.documents,
      challengeFor: (scopes: readonly string[], request: HttpRequest) =>
        protection.challengeFor(scopes, request),
    })
  }
  return Object.assign(unmounted, { mount, wellKnown: documents })
}

/** Throws if `authenticate` is called without a mount, because the audience is unknown in that case. */
function unmounted(_request: HttpRequest): AuthInfo | Rejection {
  throw new TypeError(
    'oauth(…) is an option of a mount: call authenticate.mount({ … }) before you use it elsewhere',
  )
}
