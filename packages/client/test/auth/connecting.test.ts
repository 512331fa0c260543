import { type AuthProvider, Client, type ClientTransport, withAuth } from '@jetway/client'
import { AuthorizationError } from '@jetway/client/oauth'
import { expect, it } from 'vitest'

/** Sends to a server that wants credentials before it says anything. */
function guarded(provider: AuthProvider): ClientTransport {
  const send = withAuth(async () => new Response(null, { status: 401 }), provider, 'https://mcp.example/mcp')
  return {
    perRequest: true,
    start: () => undefined,
    send: async () => void (await send('https://mcp.example/mcp', { method: 'POST' })),
    close: async () => undefined,
  }
}

it('a user who says no is asked once, although a server’s era is asked for in two ways', async () => {
  let asked = 0
  const refused = new AuthorizationError('refused', 'The user said no')
  const provider: AuthProvider = {
    headers: () => undefined,
    challenged: () => {
      asked += 1
      return Promise.reject(refused)
    },
  }
  const client = new Client({ name: 'c', version: '1' })
  await expect(client.connect(guarded(provider))).rejects.toBe(refused)
  expect(asked).toBe(1)
})
