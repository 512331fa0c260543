import { settled } from '@jetway-apps/test-support'
import type { JsonObject } from '@jetway/core/protocol'
import { expect, it } from 'vitest'
import type { ClientEvents } from '../../src/client/events.ts'
import { Notification } from '../support/dates.ts'
import { listener, scripted, sessions } from '../support/scripted.ts'

const EVENTS = [
  'log',
  'toolsChanged',
  'promptsChanged',
  'resourcesChanged',
  'resourceUpdated',
  'elicitationComplete',
] as const satisfies readonly (keyof ClientEvents)[]

const log = { level: 'info', data: null }

it.for<[string, JsonObject, (typeof EVENTS)[number] | undefined, unknown?]>([
  [Notification.ToolsListChanged, {}, 'toolsChanged'],
  [Notification.PromptsListChanged, {}, 'promptsChanged'],
  [Notification.ResourcesListChanged, {}, 'resourcesChanged'],
  [Notification.ResourceUpdated, { uri: 'note://a', more: 1 }, 'resourceUpdated', { uri: 'note://a' }],
  [Notification.ResourceUpdated, { uri: 1 }, undefined],
  [Notification.Message, log, 'log', log],
  [Notification.Message, { level: 'info' }, undefined],
  [Notification.Message, { level: 6, data: null }, undefined],
  [Notification.ElicitationComplete, { elicitationId: 'not open' }, undefined],
  [Notification.ElicitationComplete, { elicitationId: 1 }, undefined],
  ['notifications/example', { ...log, uri: 'note://a', elicitationId: 'a' }, undefined],
])('the notification %s with %j emits the event %s', async ([method, params, event, value]) => {
  const { client, server } = await scripted(sessions())
  const all = listener(client, 'notification')
  const heard: unknown[] = []
  for (const name of EVENTS) client.on(name, (got) => void heard.push([name, got]))
  server.notify(method, params)
  await settled()
  expect(all).toHaveBeenCalledWith({ jsonrpc: '2.0', method, params })
  expect(heard).toEqual(event === undefined ? [] : [[event, value]])
})
