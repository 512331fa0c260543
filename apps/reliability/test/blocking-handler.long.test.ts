import { callTool, MODERN, requestMeta } from '@jetway-apps/test-support'
import { post } from '@jetway-apps/test-support/http'
import { startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { describe, expect, it, onTestFinished } from 'vitest'

const PROGRAM = program(new URL('support/serve-blocking.ts', import.meta.url))
const BLOCKED_MS = 4_000

/** Sends calls while a handler blocks the event loop. Returns their statuses, and the result of a later call. */
async function callsMeanwhile(...args: readonly string[]): Promise<readonly Response[]> {
  const target = startNode([...PROGRAM, ...args])
  onTestFinished(() => void target.stop('SIGKILL'))
  const [, origin = ''] = await target.until(/^(http.*)\n/)
  const call = (name: string, params = {}): Promise<Response> =>
    post(`${origin}/mcp`, JSON.stringify(callTool(name, params, { meta: requestMeta() })), {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    })
  // The process may need a moment to start.
  const recovered = (): Promise<void> => expect.poll(async () => (await call('echo')).status).toBe(200)
  await recovered()
  const blocking = call('block', { ms: BLOCKED_MS })
  await target.until(/blocking/)
  const meanwhile = await Promise.all(Array.from({ length: 5 }, () => call('echo')))
  expect((await blocking).status).toBe(200)
  await recovered()
  return meanwhile
}

describe('a handler that blocks the event loop', () => {
  it('delays the responses to other calls, but does not prevent them', async () => {
    const replies = await callsMeanwhile()
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it('makes @fastify/under-pressure refuse calls with 503', async () => {
    const replies = await callsMeanwhile('shed')
    const refused = replies.map(({ status, headers }) => [status, headers.get('retry-after')])
    expect(refused).toEqual(Array.from({ length: 5 }, () => [503, '1']))
  })
})
