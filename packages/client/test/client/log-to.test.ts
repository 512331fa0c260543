import { settled } from '@jetway-apps/test-support'
import type { Logger } from '@jetway/core'
import { expect, it } from 'vitest'
import { logTo } from '../../src/client/log-to.ts'
import { Notification } from '../support/dates.ts'
import { scripted, sessions, listener } from '../support/scripted.ts'

type Said = readonly [keyof Logger, object, string]

function recording(): { readonly logger: Logger; readonly said: Said[] } {
  const said: Said[] = []
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void =>
      void said.push([level, fields, message])
  return { said, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

it.for([
  ['debug', 'debug'],
  ['info', 'info'],
  ['notice', 'info'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['critical', 'error'],
  ['alert', 'error'],
  ['emergency', 'error'],
  ['loud', 'info'],
  ['constructor', 'info'],
] as const)('logTo writes the level %s as %s', async ([severity, level]) => {
  const { client, server } = await scripted(sessions())
  const { logger, said } = recording()
  client.on('log', logTo(logger, 'weather'))
  server.notify(Notification.Message, { level: severity, logger: 'db', data: 'Full' })
  await settled()
  expect(said).toEqual([[level, { server: 'weather', logger: 'db', severity, data: 'Full' }, 'Full']])
})

it('logTo writes objects as fields with a message, and truncates long strings', () => {
  const { logger, said } = recording()
  const log = logTo(logger)
  log({ level: 'info', data: { message: 'Slow', ms: 5 } })
  log({ level: 'info', data: [1, 2] })
  log({ level: 'info', data: null, server: 'from-a-manager' })
  log({ level: 'info', data: 'x'.repeat(5_000) })
  expect(said.map(([, , message]) => message.length)).toEqual([4, 44, 44, 1_024])
  expect(said.map(([, fields]) => fields)).toMatchObject([
    { severity: 'info', data: { message: 'Slow', ms: 5 } },
    { data: [1, 2] },
    { data: null, server: 'from-a-manager' },
    {},
  ])
})

it('logTo reports a logger that throws', async () => {
  const { client, server } = await scripted(sessions())
  const failed = listener(client, 'error')
  const fail = (): void => {
    throw new Error('The disk is full')
  }
  client.on('log', logTo({ debug: fail, info: fail, warn: fail, error: fail }))
  server.notify(Notification.Message, { level: 'info', data: 'x' })
  await settled()
  expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('The disk is full'))
  expect(client.isAlive).toBe(true)
})
