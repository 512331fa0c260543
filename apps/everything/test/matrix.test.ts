import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLIENTS,
  type Driver,
  MODERN_CLIENTS,
  OFFERING,
  SSE_CLIENTS,
  type Target,
} from './support/clients.ts'
import { FEATURES } from './support/features.ts'
import { MODERN_FEATURES } from './support/features/modern.ts'
import { featuresAt } from './support/features/revisions.ts'
import { type Door, DOORS, listen, type Listening, stdioCommand } from './support/processes.ts'

/** Few enough that every list has several pages. */
const FLAGS = ['--page-size', '4'] as const

const doors = Object.keys(DOORS) as Door[]
const ran = new Set<string>()

/** Those before the newest, which is what the clients offer on their own. */
const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05']
const OFFERS = OLDER.flatMap((revision) =>
  Object.entries(OFFERING).map(([client, connect]) => [client, revision, connect] as const),
)
const ranOlder = new Set<string>()
const ranModern = new Set<string>()

describe.each(doors)('over %s', (door) => {
  let server: Listening | undefined
  let target: Target

  beforeAll(async () => {
    if (door !== 'stdio') server = await listen(door, ...FLAGS)
    target = server ?? stdioCommand(...FLAGS)
  })
  afterAll(() => server?.stop())

  const clients = door === 'stdio' ? CLIENTS : { ...CLIENTS, ...SSE_CLIENTS }
  describe.each(Object.entries(clients))('the official client %s', (client, connect) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(target)
    })
    afterAll(() => driver?.close())

    for (const feature of FEATURES) {
      it(feature.name, async () => {
        ran.add(`${door}/${client}/${feature.name}`)
        await feature.run(driver, door)
      })
    }
  })

  describe.each(Object.entries(MODERN_CLIENTS))('the official client %s', (client, connect) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(target)
    })
    afterAll(() => driver?.close())

    for (const feature of MODERN_FEATURES) {
      it(feature.name, async () => {
        ranModern.add(`${door}/${client}/${feature.name}`)
        await feature.run(driver, door)
      })
    }
  })

  describe.each(OFFERS)('the official client %s, which offers %s', (client, revision, connect) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(target, revision)
    })
    afterAll(() => driver?.close())

    for (const feature of featuresAt(revision)) {
      it(feature.name, async () => {
        ranOlder.add(`${door}/${client}/${revision}/${feature.name}`)
        await feature.run(driver, door)
      })
    }
  })
})

it('the matrix is whole: 4 doors × 3 clients × 18 features, and 3 doors × 1 client of HTTP+SSE', () => {
  expect([doors.length, Object.keys(CLIENTS).length, FEATURES.length]).toEqual([4, 3, 18])
  expect(Object.keys(SSE_CLIENTS)).toHaveLength(1)
  expect(ran.size).toBe(4 * 3 * 18 + 3 * 1 * 18)
})

it('so is the one without sessions: 4 doors × 2 clients × 19 features', () => {
  expect([Object.keys(MODERN_CLIENTS).length, MODERN_FEATURES.length]).toEqual([2, 19])
  expect(ranModern.size).toBe(4 * 2 * 19)
})

it('so is the one of older revisions: 4 doors × 3 revisions × 2 clients × 11 features', () => {
  expect(OLDER.map((revision) => featuresAt(revision).length)).toEqual([11, 11, 11])
  expect(ranOlder.size).toBe(4 * 3 * 2 * 11)
})
