import { FakeClock } from '@jetway-apps/test-support'
import { expect, it } from 'vitest'
import { separating } from '../../src/call/separate-response.ts'

it('separating() separates a response from a notification sent less than a second earlier', async () => {
  const clock = new FakeClock()
  const sent: string[] = []
  const exchange = separating(
    { duplex: true, send: (frame) => void sent.push(frame) },
    clock,
    (frame) => `apart ${frame}`,
  )
  expect(exchange.separate?.('a')).toBe('a')
  void exchange.send('progress')
  await clock.advance(999)
  expect(exchange.separate?.('b')).toBe('apart b')
  await clock.advance(1)
  expect([exchange.separate?.('c'), sent]).toEqual(['c', ['progress']])
})
