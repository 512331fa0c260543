import { callTool } from '@jetway-apps/test-support'
import { startCluster } from '@jetway-apps/test-support/cluster'
import { HEADERS, post, text } from '@jetway-apps/test-support/http'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it, onTestFinished } from 'vitest'
import { openSession, startIssuer } from './support/protected.ts'

/** There are more requests than processes, so that each process receives at least one. */
const REQUESTS = [1, 2, 3, 4]

it('a session shared by three processes accepts any token of its user, and returns 404 to other users', async () => {
  const issuer = await startIssuer()
  const node = program(new URL('support/serve-node.ts', import.meta.url))
  const cluster = await startCluster(node, 3, { ISSUER: issuer.issuer })
  onTestFinished(() => cluster.stop())
  const { url } = cluster
  const tokenOf = async (user: string, scopes: readonly string[]): Promise<string> =>
    (await issuer.issue({ resource: url, user, scopes })).accessToken

  const session = await openSession(url, await tokenOf('alice', ['mcp']))
  const as = (token: string): Record<string, string> => ({ ...session, authorization: `Bearer ${token}` })
  const statuses = async (headers: object, name: string): Promise<number[]> => {
    const seen: number[] = []
    for (const _ of REQUESTS) seen.push((await post(url, JSON.stringify(callTool(name)), headers)).status)
    return seen
  }
  const who = new Set<string | undefined>()
  for (const _ of REQUESTS) who.add(await text(await post(url, JSON.stringify(callTool('who')), session)))
  expect(who.size).toBe(3)
  expect([...who].every((answer) => answer?.startsWith('alice '))).toBe(true)

  const bob = as(await tokenOf('bob', ['mcp', 'files:write']))
  expect(await statuses(bob, 'who')).toEqual(REQUESTS.map(() => 404))
  for (const method of ['GET', 'DELETE'])
    expect((await fetch(url, { method, headers: { ...HEADERS, ...bob } })).status).toBe(404)

  expect(await statuses(session, 'write')).toEqual(REQUESTS.map(() => 403))
  const more = as(await tokenOf('alice', ['mcp', 'files:write']))
  expect(await statuses(more, 'write')).toEqual(REQUESTS.map(() => 200))
})
