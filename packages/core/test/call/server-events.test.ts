import { silent } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { Events, outcomeOf } from '../../src/call/server-events.ts'
import { McpError } from '../../src/errors.ts'

it.each([
  [undefined, false, 'cancelled'],
  [undefined, true, 'cancelled'],
  [{ frame: '', error: new McpError(1, '') }, true, 'error'],
  [{ frame: '' }, true, 'failed'],
  [{ frame: '' }, false, 'ok'],
])('outcomeOf returns the outcome of a request (case %#)', (answer, failed, outcome) => {
  expect(outcomeOf(answer, failed)).toBe(outcome)
})

describe('Events', () => {
  it('calls each listener until its removal, and creates payloads only if there are listeners', async () => {
    const error = vi.fn<(fields: object, message: string) => void>()
    const events = new Events({ ...silent, error })
    const heard: unknown[] = []
    const payload = vi.fn<() => never>(() => ({ reason: 'busy' }) as never)
    const emit = (): void => events.emit('reject', payload)
    emit()
    expect([payload.mock.calls.length, events.listeners.has('reject')]).toEqual([0, false])
    const listener = (event: unknown): void => void heard.push(event)
    const [first, second] = [events.on('reject', listener), events.on('reject', listener)]
    const failing = events.on('reject', () => Promise.reject(new Error('no')) as never)
    emit()
    await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(1))
    expect(heard).toEqual([{ reason: 'busy' }, { reason: 'busy' }])
    first()
    first()
    emit()
    expect(heard).toHaveLength(3)
    for (const end of [second, failing]) end()
    expect(events.listeners.has('reject')).toBe(false)
  })
})
