import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { describe, it } from 'vitest'
import { ERAS, REGISTRATIONS, runFlow } from './support/flow.ts'

describe.each(Object.entries(NODE_MOUNTS))('a server on %s', (_, mount) => {
  describe.each(ERAS)('at %s', (revision) => {
    it.each(Object.entries(REGISTRATIONS))(
      'with %s, a client gets from 401 to an answer, to more scopes, and to a new token',
      (_kind, registration) => runFlow(mount, revision, registration),
    )
  })
})
