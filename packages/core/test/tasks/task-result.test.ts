import { expect, it } from 'vitest'
import type { CallContext } from '../../src/call/context.ts'
import type { EncodedResponse } from '../../src/call/response.ts'
import { revisionOf } from '../../src/protocol/revisions/index.ts'
import { taskOwner } from '../../src/tasks/task-owner.ts'
import { finalChanges } from '../../src/tasks/running-task.ts'

const ctx = (version: string, scope: object = {}): CallContext => {
  const revision = revisionOf(version)
  return { revision, scope: { revision, caller: {}, ...scope } } as CallContext
}
const [OLD, NEW] = ['2025-11-25', '2026-07-28']
const response = (body: object): EncodedResponse => ({ frame: JSON.stringify(body) })
const failed = (message: string, code = -32603, shown = message): object => ({
  status: 'failed',
  updatedAt: 7,
  statusMessage: shown,
  error: { code, message },
})
const UNSTORED = failed('The result of the task could not be stored')
const text = (value: unknown): object => ({ isError: true, content: [{ type: 'text', text: value }] })
const long = 'x'.repeat(201)

it.each<[string, string, EncodedResponse, readonly object[]]>([
  ['a missing response', OLD, undefined, [failed('The task ended before its result')]],
  [
    'a result',
    OLD,
    response({ result: { content: [] } }),
    [{ status: 'completed', updatedAt: 7, result: { content: [] } }, UNSTORED],
  ],
  ['an error', OLD, response({ error: { code: 5, message: 'no' } }), [failed('no', 5), UNSTORED]],
  [
    'an error with a long message',
    OLD,
    response({ error: { code: 5, message: long } }),
    [failed(long, 5, 'x'.repeat(200)), UNSTORED],
  ],
  ['neither result nor error', OLD, response({}), [UNSTORED, UNSTORED]],
  [
    'isError',
    OLD,
    response({ result: text(long) }),
    [{ status: 'failed', updatedAt: 7, statusMessage: 'x'.repeat(200), result: text(long) }, UNSTORED],
  ],
  [
    'isError in a revision that treats it as a result',
    NEW,
    response({ result: text('no') }),
    [{ status: 'completed', updatedAt: 7, statusMessage: 'no', result: text('no') }, UNSTORED],
  ],
  [
    'isError without a text',
    OLD,
    response({ result: text(1) }),
    [{ status: 'failed', updatedAt: 7, result: text(1) }, UNSTORED],
  ],
  [
    'isError without content',
    OLD,
    response({ result: { isError: true } }),
    [{ status: 'failed', updatedAt: 7, result: { isError: true } }, UNSTORED],
  ],
])('`finalChanges` stores %s', (_what, version, answer, changes) => {
  expect(finalChanges(answer, ctx(version), 7)).toEqual(changes)
})

it.each([
  ['a principal', OLD, { caller: { auth: { principal: 'ann' } }, session: { id: 's' } }, 'principal:ann'],
  ['an anonymous client that uses the extension', NEW, { session: { id: 's' } }, 'anyone'],
  ['the session of an anonymous client', OLD, { session: { id: 's' } }, 'session:s'],
  ['no owner for a client without a session', OLD, {}, undefined],
])('`taskOwner` returns %s', (_what, version, scope, owner) => {
  expect(taskOwner(ctx(version, scope))).toBe(owner)
})
