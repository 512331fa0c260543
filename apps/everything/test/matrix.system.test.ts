import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, type Driver, MODERN_CLIENTS, OFFERING, SSE_CLIENTS } from './support/clients.ts'
import { FEATURES } from './support/features.ts'
import type { Feature } from './support/features/feature.ts'
import { MODERN_FEATURES } from './support/features/modern.ts'
import { featuresAt } from './support/features/revisions.ts'
import { serving, type Target, TRANSPORTS } from './support/processes.ts'

type Connect = (target: Target) => Promise<Driver>
/** Clients of one kind with their transports and features. */
type Row = readonly [client: string, Connect, readonly Feature[], ran: Set<string>]

/** The older revisions. By default, the clients offer the newest one. */
const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05']
const [ran, ranModern, ranOlder] = [new Set<string>(), new Set<string>(), new Set<string>()]

const rows = (
  clients: Readonly<Record<string, Connect>>,
  features: readonly Feature[],
  done: Set<string>,
): Row[] => Object.entries(clients).map(([client, connect]) => [client, connect, features, done])

const older = OLDER.flatMap((revision) =>
  Object.entries(OFFERING).map(([client, connect]): Row => [
    `${client}, which supports ${revision}`,
    (target) => connect(target, revision),
    featuresAt(revision),
    ranOlder,
  ]),
)

describe.each(TRANSPORTS)('over %s', (transport) => {
  // Small pages ensure that every list has several.
  const target = serving(transport, '--page-size', '4')
  const clients = transport === 'stdio' ? CLIENTS : { ...CLIENTS, ...SSE_CLIENTS }
  const all = [...rows(clients, FEATURES, ran), ...rows(MODERN_CLIENTS, MODERN_FEATURES, ranModern), ...older]

  describe.each(all)('the official client %s', (client, connect, features, done) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await connect(target())
    })
    afterAll(() => driver?.close())

    for (const feature of features) {
      it(feature.name, async () => {
        done.add(`${transport}/${client}/${feature.name}`)
        await feature.run(driver, transport)
      })
    }
  })
})

it('the matrix covers 4 transports × 3 clients × 18 features, and 3 transports × 1 HTTP+SSE client', () => {
  expect([TRANSPORTS.length, Object.keys(CLIENTS).length, FEATURES.length]).toEqual([4, 3, 18])
  expect(Object.keys(SSE_CLIENTS)).toHaveLength(1)
  expect(ran.size).toBe(4 * 3 * 18 + 3 * 1 * 18)
})

it('the matrix covers 4 transports × 2 clients × 19 features without sessions', () => {
  expect([Object.keys(MODERN_CLIENTS).length, MODERN_FEATURES.length]).toEqual([2, 19])
  expect(ranModern.size).toBe(4 * 2 * 19)
})

it('the matrix covers 4 transports × 3 older revisions × 2 clients × 11 features', () => {
  expect(OLDER.map((revision) => featuresAt(revision).length)).toEqual([11, 11, 11])
  expect(ranOlder.size).toBe(4 * 3 * 2 * 11)
})
