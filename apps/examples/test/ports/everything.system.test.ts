import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Differences } from './support/compare.ts'
import { EVERYTHING_DIFFERENCES } from './support/everything-differences.ts'
import { EVERYTHING_STEPS } from './support/everything-steps.ts'
import {
  connect,
  type OfficialClient,
  type Seen,
  type Step,
  titleOf,
  VERSIONS,
} from './support/official-client.ts'
import { original, port } from './support/programs.ts'

const capabilities = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
  tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
}
const [entry = ''] = original('everything')
const docs = fileURLToPath(new URL('docs', `file://${entry}`))

describe.each(VERSIONS)('the port of server-everything, for the official client %s', (version) => {
  const differences = new Differences(EVERYTHING_DIFFERENCES)
  let theirs: OfficialClient
  let ours: OfficialClient

  beforeAll(async () => {
    const args = port('everything', 'stdio', docs)
    ;[theirs, ours] = await Promise.all([
      connect(version, { args: [entry], capabilities }),
      connect(version, { args, capabilities }),
    ])
    // The original adds tools and requests the roots after the handshake, and there is no response to wait for.
    const tools = async () => JSON.stringify((await theirs.run({ method: 'tools/list' })).answer)
    await vi.waitFor(async () => expect(await tools()).toContain('simulate-research-query'))
    const roots = { 'roots/list': { roots: [] } }
    await vi.waitFor(async () => {
      const { answer } = await theirs.run({ ...call('get-roots-list'), replies: roots })
      expect(JSON.stringify(answer)).toContain('no roots are currently')
    })
  })
  afterAll(async () => {
    await Promise.all([theirs.close(), ours.close()])
  })

  it('returns the same initialize result as the original', () => {
    expect(ours.server).toEqual(theirs.server)
  })

  it.each(EVERYTHING_STEPS.map((step) => [titleOf(step), step] as const))('%s', async (_title, step) => {
    const [expected, actual] = await Promise.all([theirs.run(step), ours.run(step)])
    const seen = (answered: Seen, notified: Seen['notified'] = []) =>
      differences.remove({ ...answered, notified }, step)
    expect(seen(actual)).toEqual(seen(expected))
    await vi.waitFor(() => {
      expect(seen(actual, ours.notified())).toEqual(seen(expected, theirs.notified()))
    })
  })

  it('differs from the original in every listed way', () => {
    expect(differences.unmet).toEqual([])
  })
})

const call = (name: string, args: object = {}): Step => ({
  method: 'tools/call',
  params: { name, arguments: args },
})
