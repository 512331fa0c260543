import type { SessionRecord } from '@jetway/core/stores'

/** Returns the record of a session after `initialize`. */
export const sessionRecord = (id: string, principal = 'alice'): SessionRecord => ({
  id,
  principal,
  revision: '1999-12-31',
  client: {
    info: { name: 'test', version: '1' },
    capabilities: { roots: { listChanged: true }, sampling: {} },
  },
  initialized: true,
  createdAt: 1_700_000_000_000,
  listChanged: ['tools', 'resources', 'prompts'],
  subscriptions: [],
})

export const LIFETIME = { ttlMs: 60_000 }
