import { expect, it, vi } from 'vitest'
import { createProject, definition, devOverHttp } from './support/project.ts'
import { callOf, type Headers, openSession, post } from './support/raw-http.ts'

/** Returns the source code of a program that accepts a single token. */
const program = (token: string): string => `
import { createServer } from 'node:http'
import { bearer } from '@jetway/core/http'
import { mcp } from '@jetway/node'
${definition([token]).replace('export default server', '')}
const authenticate = bearer({ verify: (token) => (token === '${token}' ? { principal: 'ann' } : undefined) })
createServer(mcp({ server, authenticate })).listen(process.env.PORT, '127.0.0.1')
`

const withToken = (session: Headers, token: string): Headers => ({
  ...session,
  authorization: `Bearer ${token}`,
})

it('jetway dev continues a session with a new token after the new process has refused the old token with 401', async () => {
  const project = await createProject(program('old'))
  const dev = await devOverHttp(project)
  const session = await openSession(dev.url, withToken({}, 'old'))
  await project.save(program('new'))
  const refused = await vi.waitFor(async () => {
    const reply = await post(dev.url, callOf(1, 'new'), withToken(session, 'old'))
    expect(reply.status).toBe(401)
    return reply
  })
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/)
  const reply = await post(dev.url, callOf(2, 'new'), withToken(session, 'new'))
  expect(await reply.json()).toMatchObject({ id: 2, result: { content: [{ text: 'new' }] } })
  expect((await post(dev.url, callOf(3, 'new'), withToken(session, 'old'))).status).toBe(401)
})
