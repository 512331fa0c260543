import { describe, expect, it } from 'vitest'
import { BRIDGE } from './support/limits/bridge.ts'
import { CALLS } from './support/limits/calls.ts'
import { CLIENT } from './support/limits/client.ts'
import { DEFINITIONS } from './support/limits/definitions.ts'
import { HTTP } from './support/limits/http.ts'
import { MESSAGES } from './support/limits/messages.ts'
import { NODES } from './support/limits/nodes.ts'
import { OAUTH } from './support/limits/oauth.ts'
import { OUTPUTS } from './support/limits/outputs.ts'
import { SKILLS } from './support/limits/skills.ts'
import { STORES } from './support/limits/stores.ts'
import { STREAMS } from './support/limits/streams.ts'
import { TEXTS } from './support/limits/texts.ts'

describe.each([
  ['messages', MESSAGES],
  ['HTTP', HTTP],
  ['calls', CALLS],
  ['streams', STREAMS],
  ['stores', STORES],
  ['definitions', DEFINITIONS],
  ['skills', SKILLS],
  ['nodes', NODES],
  ['the client', CLIENT],
  ['outputs that the client checks', OUTPUTS],
  ['authorization by the client', OAUTH],
  ['the bridge', BRIDGE],
  ['texts', TEXTS],
])('the limits for %s', (_, rows) => {
  it.each(rows.map((row) => [row.limit, row] as const))(
    'allow exactly the maximum: %s',
    async (_limit, { most, use, accepted, refused }) => {
      expect({ outcome: await use(most) }).toMatchObject({ outcome: accepted })
      expect({ outcome: await use(most + 1) }).toMatchObject({ outcome: refused })
    },
  )
})
