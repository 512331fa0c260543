import { ClientError, ConnectionClosedError, RequestTimeoutError, TransportError } from '@jetway/client'
import { http } from '@jetway/client/http'
import { McpError } from '@jetway/core/protocol'
import { expect, it } from 'vitest'
import { describeError, needsAuthorization, tryRevisions } from '../../src/doctor/protocol/try-revision.ts'
import { jetway, scripted, serve } from './support/remote.ts'

const closedBy = (error: Error): Error => new ConnectionClosedError('Closed', { kind: 'error', error })

it.each<readonly [string, unknown, boolean]>([
  ['401', new TransportError('x', { status: 401 }), true],
  ['a connection closed by 401', closedBy(new TransportError('x', { status: 401 })), true],
  ['a failed authorization', new TransportError('x', { authFailed: true }), true],
  ['403', new TransportError('x', { status: 403 }), false],
  ['another error', new TypeError('x'), false],
  ['a connection closed by another error', closedBy(new Error('x')), false],
])('needsAuthorization returns whether the server requires authorization: %s (%#)', (_, error, expected) => {
  expect(needsAuthorization(error)).toBe(expected)
})

it.each<readonly [unknown, string]>([
  [new McpError(-32603, 'No'), 'error -32603: No'],
  [new RequestTimeoutError('ping', 5), 'no answer in time'],
  [new ConnectionClosedError('Closed'), 'Closed'],
  ['text', 'text'],
])('describeError describes %o', (error, text) => {
  expect(describeError(error)).toBe(text)
})

it.each([
  [400, ['2025-11-25'], false],
  [499, ['2025-11-25'], false],
  [500, ['2025-11-25'], true],
  [500, ['2026-07-28'], false],
] as const)(
  'tryRevisions, for the status %i at the revisions %j, sets unexpected to %j',
  async (status, revisions, unexpected) => {
    const url = await serve((_, response) => response.writeHead(status).end())
    expect(await tryRevisions(http(`${url}/mcp`), revisions, 5_000)).toEqual({
      kind: 'failed',
      error: expect.any(ClientError),
      unexpected,
    })
  },
)

it('tryRevisions treats an error from the server as expected, and a broken connection as unexpected', async () => {
  const refusing = await serve(scripted({ initialize: () => ({ code: -32603, message: 'No' }) }))
  const cutting = await serve((request) => request.socket.destroy())
  expect(await tryRevisions(http(`${refusing}/mcp`), ['2025-11-25'], 5_000)).toMatchObject({
    unexpected: false,
  })
  expect(await tryRevisions(http(`${cutting}/mcp`), ['2025-11-25'], 5_000)).toMatchObject({
    unexpected: true,
  })
})

it('tryRevisions negotiates if no revisions are given', async () => {
  const target = http(`${await serve(jetway())}/mcp`)
  expect(await tryRevisions(target, undefined, 5_000)).toEqual({ kind: 'answered', version: '2026-07-28' })
  expect(await tryRevisions(target, ['2025-06-18'], 5_000)).toEqual({
    kind: 'answered',
    version: '2025-06-18',
  })
})
