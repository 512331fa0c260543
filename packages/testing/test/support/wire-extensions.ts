import { readFileSync } from 'node:fs'
import type { JsonObject } from '@jetway/core/protocol'
import { type Definitions, flatten } from './flat-schema.ts'

/** An extension whose messages are also validated. */
export type WireExtension = 'tasks' | 'skills'

/** Returns the definitions of a revision and of its extensions. Those of the revision take precedence. */
export function withExtensions(core: Definitions, extensions: readonly WireExtension[]): Definitions {
  let all = core
  for (const extension of extensions) all = { ...all, ...added(extension, all) }
  return all
}

function added(extension: WireExtension, core: Definitions): Definitions {
  const url = new URL(`../../fixtures/schema/extensions/${extension}.json`, import.meta.url)
  const { $defs } = JSON.parse(readFileSync(url, 'utf8')) as { readonly $defs: Definitions }
  const known = { ...$defs, ...core }
  const own = Object.fromEntries(
    Object.entries($defs)
      .filter(([name]) => !(name in core))
      .map(([name, definition]) => [name, flatten(definition, known) as JsonObject]),
  )
  const sent = Object.keys(own).filter((name) => name.endsWith('Notification'))
  const { ServerNotification = {}, SubscriptionFilter = {} } = core
  const heard = own['TaskSubscriptionAcknowledgedNotifications'] ?? {}
  return {
    ...own,
    ServerNotification: {
      anyOf: [
        ...(ServerNotification['anyOf'] as readonly JsonObject[]),
        ...sent.map((name) => ({ $ref: `#/$defs/${name}` })),
      ],
    },
    SubscriptionFilter: {
      ...SubscriptionFilter,
      properties: {
        ...(SubscriptionFilter['properties'] as JsonObject),
        ...(heard['properties'] as JsonObject | undefined),
      },
    },
  }
}
