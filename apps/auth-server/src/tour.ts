import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { authorizationCode, oauth } from '@jetway/client/oauth'
import type { Servers } from './serve.ts'
import { trace } from './trace.ts'

/**
 * The lifetime of tokens. It is short, so that the tour is quick. The client renews a token in the second half
 * of its lifetime.
 */
const LIFETIME_S = 4
const RENEWED_AFTER_MS = 2_100

/**
 * Runs the whole flow with a client, and prints each step and each request.
 *
 * @throws Error if a step has an unexpected result
 */
export async function takeTour({ issuer, url }: Servers, print: (text: string) => void): Promise<void> {
  const usual = issuer.lifetime
  issuer.lifetime = LIFETIME_S
  const traced = trace(issuer.issuer, print)
  const client = new Client({ name: 'tour', version: '1.0.0' })
  const call = async (name: string, args: Record<string, string>): Promise<void> => {
    const { content, isError } = await client.callTool(name, args)
    const [first] = content
    if (isError === true || first?.type !== 'text') throw new Error(`${name} has failed`)
    print(`   ${name} says: ${first.text}`)
  }

  print('\n1. Connect without a token, and sign in')
  print('   The server answers 401 and names its metadata, which names the authorization server.')
  print('   The client registers there by the URL of its metadata document, and alice signs in.\n')
  const auth = oauth({
    grant: authorizationCode({
      redirectUri: 'http://127.0.0.1:33418/callback',
      authorize: (address, { signal }) => {
        print(`   alice agrees to: ${address.searchParams.get('scope') ?? 'nothing'}`)
        return issuer.signIn(address, { signal })
      },
    }),
    clientMetadataUrl: issuer.clientMetadataUrl,
    fetch: traced.fetch,
  })
  await client.connect(http(url, { auth, fetch: traced.fetch }))
  await call('get_forecast', { city: 'Denver' })

  print('\n2. Call a tool that needs another scope')
  print('   The server answers 403 and names the scopes. The client asks alice for them,')
  print('   gets a token that has them, and sends the call again.\n')
  await call('send_warning', { city: 'Denver', text: 'Hail after 6 pm' })

  print(`\n3. Wait until the token, which is valid for ${LIFETIME_S} s, is about to expire`)
  print('   The client gets a new one with its refresh token. Nobody is asked.\n')
  await delay(RENEWED_AFTER_MS)
  await call('get_forecast', { city: 'Boston' })

  print('\n4. Revoke what alice has agreed to')
  print('   The refresh token has become invalid, so the client has to ask her again.')
  print('   The access token that it has is valid until it expires.\n')
  issuer.revoke('alice')
  await delay(RENEWED_AFTER_MS)
  await call('get_forecast', { city: 'Chicago' })

  await client.close()
  issuer.lifetime = usual
}
