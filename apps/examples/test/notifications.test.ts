import { REVISIONS } from '@jetway/core/protocol'
import { connect } from '@jetway/testing'
import { expect, it } from 'vitest'
import { server, setGate, setWeather } from '../src/server/notifications.ts'

// #region test
it.each(REVISIONS)('clients that use $version are notified when the gate opens', async ({ version }) => {
  await using client = await connect(server, { revision: version })
  const uri = 'gate://state'
  await client.notification('notifications/resources/updated', { uri }, () => setGate(true))
  expect((await client.readResource(uri)).contents).toMatchObject([{ text: 'open' }])
})
// #endregion

it.each(REVISIONS)(
  'clients that use $version list the tools again after a tool becomes visible',
  async ({ version }) => {
    setGate(false)
    await using client = await connect(server, { revision: version })
    await client.notification('notifications/tools/list_changed', {}, () => setGate(true))
    expect(await client.listTools()).toMatchObject([{ name: 'board' }])
  },
)

it.each(REVISIONS)(
  'updating a resource through its handle notifies subscribers that use $version',
  async ({ version }) => {
    await using client = await connect(server, { revision: version })
    const uri = 'gate://weather'
    await client.notification('notifications/resources/updated', { uri }, () =>
      setWeather(`Fog at ${version}`),
    )
    expect((await client.readResource(uri)).contents).toMatchObject([{ text: `Fog at ${version}` }])
  },
)

it.each(REVISIONS.filter(({ era }) => era === 'legacy'))(
  'sessions at $version receive log messages',
  async ({ version }) => {
    await using client = await connect(server, { revision: version })
    const { params } = await client.notification('notifications/message', { level: 'info' }, () =>
      setGate(true),
    )
    expect(params).toMatchObject({ data: { open: true } })
  },
)
