import {
  ConnectionClosedError,
  RequestTimeoutError,
  TransportError,
  UnsupportedRevisionError,
} from '@jetway/client'
import { McpError } from '@jetway/core/protocol'
import { expect, it } from 'vitest'
import { usageError } from '../../src/errors.ts'
import { explained } from '../../src/target/explain.ts'

const closedBy = (error: Error): Error => new ConnectionClosedError('Closed', { kind: 'error', error })

it.each<readonly [string, unknown, code: string | undefined, message: string, hint: string]>([
  ['a usage error', usageError('Wrong', 'Right'), 'usage', 'Wrong', 'Right'],
  [
    'an error of the server',
    new McpError(-32603, 'No'),
    'failed',
    'The server answered with error -32603: No',
    '',
  ],
  ['any other error', new TypeError('x'), undefined, 'x', ''],
  ['401', new TransportError('Refused', { status: 401 }), 'authorization-needed', 'Refused', '--bearer-env'],
  [
    '403',
    closedBy(new TransportError('Refused', { status: 403 })),
    'authorization-needed',
    'Closed',
    '--bearer-env',
  ],
  [
    'a failed authorization',
    new TransportError('Failed: see the cause', { authFailed: true, cause: new Error('No browser') }),
    'authorization-needed',
    'Failed. No browser',
    '',
  ],
  [
    'a failed authorization without a cause',
    new TransportError('Failed', { authFailed: true }),
    'authorization-needed',
    'Failed',
    '',
  ],
  [
    'a timeout',
    new RequestTimeoutError('ping', 5),
    'x',
    'No answer to ping within 5 ms',
    '--timeout SECONDS',
  ],
  ['another revision', new UnsupportedRevisionError('Old', []), 'failed', 'Old', ''],
  ['a failed connection', new TransportError('Gone'), 'unreachable', 'Gone', ''],
  [
    'a failed connection that ended the session',
    closedBy(new TransportError('Gone')),
    'unreachable',
    'Closed',
    '',
  ],
  ['another status', new TransportError('Broken', { status: 500 }), 'x', 'Broken', ''],
  ['a process that ended', closedBy(new Error('code 1')), 'x', 'Closed', ''],
])('explained() describes %s', (_, error, code, message, hint) => {
  for (const otherwise of ['unreachable', 'failed'] as const) {
    const thrown = explained(error, { otherwise, hasToken: false }) as {
      code?: string
      message: string
      hint?: string
    }
    expect([thrown.code, thrown.message]).toEqual([code === 'x' ? otherwise : code, message])
    expect(thrown.hint ?? '').toContain(hint)
    if (hint === '') expect(thrown.hint).toBeUndefined()
  }
})

it.each([
  [401, 'HTTP 401', 'The token may have expired, or be for another server. Give another one'],
  [403, 'Needs the scopes issues:delete', 'Give a token that has these scopes'],
  [
    403,
    'HTTP 403',
    'The server accepts the token, but does not allow this request. Give a token of a user who may do it',
  ],
  [
    403,
    'This Host is not allowed',
    'Use an address that the server allows, or add this one to its options allowedHosts or allowedOrigins',
  ],
])('explained() gives advice if a request with a token fails with status %i: %s', (status, message, hint) => {
  expect(
    explained(new TransportError(message, { status }), { otherwise: 'failed', hasToken: true }),
  ).toMatchObject({ code: 'authorization-needed', message, hint })
})
