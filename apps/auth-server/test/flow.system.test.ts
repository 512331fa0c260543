import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { describe, it } from 'vitest'
import { ERAS, REGISTRATIONS, runFlow } from './support/flow.ts'

describe.each(Object.entries(NODE_MOUNTS))('a server on %s', (_, mount) => {
  describe.each(ERAS)('at revision %s', (revision) => {
    it.each(Object.entries(REGISTRATIONS))(
      'lets a client with %s sign in, obtain more scopes, and renew its token',
      (_kind, registration) => runFlow(mount, revision, registration),
    )
  })
})
