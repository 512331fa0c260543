import { describe, expect, it } from 'vitest'
import { readMail, toMessage, type SessionMail } from '../../../src/http/nodes/session-mail.ts'

const key = { principal: 'ann', id: 's' }
const message = { principal: 'ann', session: 's', from: 'a', mail: { kind: 'ended' } }

describe('readMail', () => {
  it.each<SessionMail>([
    { kind: 'ended' },
    { kind: 'yield' },
    { kind: 'yield', stream: 't' },
    { kind: 'message', ref: 'r', server: 's', message: '{}' },
    { kind: 'message', ref: 'r', server: 's', message: '{}', auth: '{}' },
    { kind: 'reply', ref: 'r', status: 202, headers: { a: 'b' } },
    { kind: 'reply', ref: 'r', status: 202, headers: {}, body: '' },
    { kind: 'cancel', id: 0 },
  ])('restores a message that was created by toMessage: %j', (mail) => {
    expect(readMail(toMessage(key, 'a', mail))).toEqual({ key, from: 'a', mail })
  })

  it.each([
    null,
    { ...message, principal: 1 },
    { ...message, session: 1 },
    { ...message, from: 1 },
    { ...message, mail: 'ended' },
    { ...message, mail: {} },
    { ...message, mail: { kind: 1 } },
    { ...message, mail: { kind: 'later' } },
    { ...message, mail: { kind: 'toString' } },
    ...[
      { kind: 'frame' },
      { kind: 'yield', stream: 1 },
      { kind: 'appended' },
      { kind: 'answer', response: 'x' },
      { kind: 'answer', response: { id: {} } },
      { kind: 'cancel', id: {} },
      { kind: 'message', ref: 'r', server: 's', message: {} },
      { kind: 'message', ref: 'r', message: '{}' },
      { kind: 'message', ref: 'r', server: 's', message: '{}', auth: {} },
      { kind: 'reply', ref: 'r', status: '202', headers: {} },
      { kind: 'reply', ref: 'r', status: 202 },
      { kind: 'reply', ref: 'r', status: 202, headers: { a: 1 } },
      { kind: 'reply', ref: 'r', status: 202, headers: {}, body: {} },
    ].map((mail) => ({ ...message, mail })),
  ])('ignores a malformed message: %j', (other) => {
    expect(readMail(other)).toBeUndefined()
  })
})
