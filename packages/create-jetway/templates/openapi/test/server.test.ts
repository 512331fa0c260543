import { connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it, vi } from 'vitest'

expect.extend(matchers)

vi.stubEnv('API_TOKEN', 'secret')
const { server } = await import('../src/server.ts')
vi.unstubAllEnvs()

describe('greet', () => {
  it('asks the API', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ text: 'Hello, Ada' }))
    await using client = await connect(server)
    expect(await client.callTool('greet', { name: 'Ada' })).toHaveText(/Hello, Ada/)
    const [url, init] = fetch.mock.calls[0] ?? []
    expect(url).toEqual(new URL('https://api.example.com/v1/greetings/Ada'))
    expect(new Headers(init?.headers).get('authorization')).toBe('Bearer secret')
    fetch.mockRestore()
  })

  it('names the argument that is missing', async () => {
    await using client = await connect(server)
    expect(await client.callTool('greet', {})).toBeToolError(/name/)
  })
})

it('offers the operations that are chosen', async () => {
  await using client = await connect(server)
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['greet'])
})
