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
import {
  type TransportName,
  SERVER_COMMANDS,
  listen,
  type Listening,
  stdioCommand,
} from './support/processes.ts'

/** Small, so that every list has several pages. */
const FLAGS = ['--page-size', '4'] as const

const transports = Object.keys(SERVER_COMMANDS) as TransportName[]
const ran = new Set<string>()

/** The revisions before the newest, which the clients offer by default. */
const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05']
const OFFERS = OLDER.flatMap((revision) =>
  Object.entries(OFFERING).map(([client, connect]) => [client, revision, connect] as const),
)
const ranOlder = new Set<string>()
const ranModern = new Set<string>()

describe.each(transports)('over %s', (transport) => {
  let server: Listening | undefined
  let target: Target

  beforeAll(async () => {
    if (transport !== 'stdio') server = await listen(transport, ...FLAGS)
    target = server ?? stdioCommand(...FLAGS)
  })
  afterAll(() => server?.stop())

  const clients = transport === 'stdio' ? CLIENTS : { ...CLIENTS, ...SSE_CLIENTS }
  describe.each(Object.entries(clients))('the official client %s', (client, connect) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(target)
    })
    afterAll(() => driver?.close())

    for (const feature of FEATURES) {
      it(feature.name, async () => {
        ran.add(`${transport}/${client}/${feature.name}`)
        await feature.run(driver, transport)
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
        ranModern.add(`${transport}/${client}/${feature.name}`)
        await feature.run(driver, transport)
      })
    }
  })

  describe.each(OFFERS)('the official client %s, which supports %s', (client, revision, connect) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(target, revision)
    })
    afterAll(() => driver?.close())

    for (const feature of featuresAt(revision)) {
      it(feature.name, async () => {
        ranOlder.add(`${transport}/${client}/${revision}/${feature.name}`)
        await feature.run(driver, transport)
      })
    }
  })
})

it('the matrix is whole: 4 transports × 3 clients × 18 features, and 3 transports × 1 client of HTTP+SSE', () => {
  expect([transports.length, Object.keys(CLIENTS).length, FEATURES.length]).toEqual([4, 3, 18])
  expect(Object.keys(SSE_CLIENTS)).toHaveLength(1)
  expect(ran.size).toBe(4 * 3 * 18 + 3 * 1 * 18)
})

it('so is the one without sessions: 4 transports × 2 clients × 19 features', () => {
  expect([Object.keys(MODERN_CLIENTS).length, MODERN_FEATURES.length]).toEqual([2, 19])
  expect(ranModern.size).toBe(4 * 2 * 19)
})

it('so is the one of older revisions: 4 transports × 3 revisions × 2 clients × 11 features', () => {
  expect(OLDER.map((revision) => featuresAt(revision).length)).toEqual([11, 11, 11])
  expect(ranOlder.size).toBe(4 * 3 * 2 * 11)
})
