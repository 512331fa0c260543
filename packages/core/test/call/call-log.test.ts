import { silent } from '@jetway-apps/test-support'
import { expect, it, vi } from 'vitest'
import { CallLog } from '../../src/call/observation/call-log.ts'

it("CallLog writes to the request's logger, with fields that identify the call", () => {
  const [server, request] = [vi.fn<(fields: object, message: string) => void>(), vi.fn<() => void>()]
  const log = new CallLog({ ...silent, warn: server, error: server })
  const call = (id: string | number, caller: object = {}) =>
    ({ message: { method: 'm', id }, scope: { caller } }) as Parameters<CallLog['warn']>[0]
  log.warn(call(1), 'a')
  log.error({ ...call('x'.repeat(65), { httpRequestId: 'r' }), target: { item: { name: 'n' } } }, 'b', {
    more: 1,
  })
  expect(server.mock.calls).toEqual([
    [{ requestId: 1, method: 'm' }, 'a'],
    [{ reqId: 'r', requestId: 'x'.repeat(64), method: 'm', name: 'n', more: 1 }, 'b'],
  ])
  log.warn(call(1, { logger: { warn: request } }), 'c')
  expect([request.mock.calls.length, server.mock.calls.length]).toEqual([1, 2])
})
