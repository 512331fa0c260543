import { type AuthProvider, Client, type ClientTransport, withAuth } from '@jetway/client'
import { AuthorizationError } from '@jetway/client/oauth'
import { expect, it } from 'vitest'

/** Returns a transport to a server that refuses every request without credentials. */
function guarded(provider: AuthProvider): ClientTransport {
  const send = withAuth(async () => new Response(null, { status: 401 }), provider, 'https://mcp.example/mcp')
  return {
    streamPerRequest: true,
    start: () => undefined,
    send: async () => void (await send('https://mcp.example/mcp', { method: 'POST' })),
    close: async () => undefined,
  }
}

it('connect() asks the user only once, and does not try the other era after a refusal', async () => {
  let asked = 0
  const refused = new AuthorizationError('refused', 'The user said no')
  const provider: AuthProvider = {
    headers: () => undefined,
    onChallenge: () => {
      asked += 1
      return Promise.reject(refused)
    },
  }
  const client = new Client({ name: 'c', version: '1' })
  await expect(client.connect(guarded(provider))).rejects.toBe(refused)
  expect(asked).toBe(1)
})
