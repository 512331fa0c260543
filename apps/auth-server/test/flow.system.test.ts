import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { describe, it } from 'vitest'
import { ERAS, REGISTRATIONS, runFlow } from './support/flow.ts'

describe.each(Object.entries(NODE_MOUNTS))('a server on %s', (_, mount) => {
  describe.each(ERAS)('at revision %s', (revision) => {
    it.each(Object.entries(REGISTRATIONS))(
      'serves a client with %s that signs in after a 401, obtains more scopes, and renews its token',
      (_kind, registration) => runFlow(mount, revision, registration),
    )
  })
})
