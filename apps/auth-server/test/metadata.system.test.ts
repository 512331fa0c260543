import { post } from '@jetway-apps/test-support/http'
import { MOUNTS } from '@jetway-apps/test-support/mounts'
import * as v2 from '@modelcontextprotocol/client'
import * as v1 from '@modelcontextprotocol/sdk/client/auth.js'
import * as oauth from 'oauth4webapi'
import { describe, expect, it } from 'vitest'
import { protect, startIssuer } from './support/protected.ts'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

/** Each finds the authorization server by the metadata of the resource. */
const READERS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  oauth4webapi: async (url) => {
    const resource = new URL(url)
    const response = await oauth.resourceDiscoveryRequest(resource, HTTP)
    const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(
      resource,
      response,
    )
    const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...HTTP })
    return (await oauth.processDiscoveryResponse(new URL(issuer), found)).issuer
  },
  'the official client v1': async (url) => {
    const { authorization_servers: [issuer = ''] = [] } = await v1.discoverOAuthProtectedResourceMetadata(url)
    return (await v1.discoverAuthorizationServerMetadata(issuer))?.issuer
  },
  'the official client v2': async (url) => {
    const { authorization_servers: [issuer = ''] = [] } = await v2.discoverOAuthProtectedResourceMetadata(url)
    return (await v2.discoverAuthorizationServerMetadata(issuer))?.issuer
  },
}

describe.each(Object.entries(MOUNTS))('the metadata of a server on %s', (_, mount) => {
  it.each(Object.entries(READERS))('leads %s to the authorization server', async (_reader, issuerOf) => {
    const issuer = await startIssuer()
    expect(await issuerOf(await protect(issuer, mount))).toBe(issuer.issuer)
  })

  it('is what the challenge names, as both official clients read it', async () => {
    const url = await protect(await startIssuer(), mount)
    const refused = await post(url)
    expect(refused.status).toBe(401)
    const resourceMetadataUrl = new URL('/.well-known/oauth-protected-resource/mcp', url)
    for (const { extractWWWAuthenticateParams } of [v1, v2])
      expect(extractWWWAuthenticateParams(refused)).toMatchObject({ resourceMetadataUrl, scope: 'mcp' })
    expect(await (await fetch(resourceMetadataUrl)).json()).toMatchObject({
      resource: url,
      scopes_supported: ['mcp'],
    })
  })
})
