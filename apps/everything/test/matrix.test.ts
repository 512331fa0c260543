import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, type Driver, type Target } from './support/clients.ts'
import { FEATURES } from './support/features.ts'
import { type Door, DOORS, listen, type Listening, stdioCommand } from './support/processes.ts'

/** Few enough that every list has several pages. */
const FLAGS = ['--page-size', '4'] as const

const doors = Object.keys(DOORS) as Door[]
const servers = new Map<Door, Listening>()
const ran = new Set<string>()

beforeAll(async () => {
  const http = doors.filter((door) => door !== 'stdio')
  const started = await Promise.all(http.map(async (door) => [door, await listen(door, ...FLAGS)] as const))
  for (const [door, server] of started) servers.set(door, server)
}, 60_000)

afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()))
})

function targetOf(door: Door): Target {
  if (door === 'stdio') return stdioCommand(...FLAGS)
  const server = servers.get(door)
  if (server === undefined) throw new Error(`${door} did not start`)
  return server
}

describe.each(doors)('over %s', (door) => {
  describe.each(Object.entries(CLIENTS))('the official client %s', (client, connect) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(targetOf(door))
    }, 60_000)
    afterAll(() => driver?.close())

    for (const feature of FEATURES) {
      it(feature.name, async () => {
        ran.add(`${door}/${client}/${feature.name}`)
        await feature.run(driver, door)
      })
    }
  })
})

it('the matrix is whole: 4 doors × 4 clients × 17 features', () => {
  expect([doors.length, Object.keys(CLIENTS).length, FEATURES.length]).toEqual([4, 4, 17])
  expect(ran.size).toBe(4 * 4 * 17)
})
