import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { program } from '@jetway-tools/runtimes/program'
import { afterAll, beforeAll, describe, it } from 'vitest'
import {
  CLIENTS,
  type Driver,
  MODERN_CLIENTS,
  OFFERING,
  SSE_CLIENTS as OFFICIAL_SSE_CLIENTS,
} from './support/clients.ts'
import { everywhere } from './support/everywhere.ts'
import { FEATURES } from './support/features.ts'
import type { Feature } from './support/features/feature.ts'
import { MODERN_FEATURES } from './support/features/modern.ts'
import { featuresAt } from './support/features/revisions.ts'
import { connectOwnSse } from './support/own-client.ts'
import type { Target } from './support/processes.ts'

type Connect = (target: Target) => Promise<Driver>
type Row = readonly [client: string, Connect, readonly Feature[]]

const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05']

const SSE_CLIENTS = { ...OFFICIAL_SSE_CLIENTS, 'of Jetway over HTTP+SSE': connectOwnSse }

const rows: readonly Row[] = [
  ...Object.entries({ ...CLIENTS, ...SSE_CLIENTS }).map(
    ([client, connect]) => [client, connect, FEATURES] as const,
  ),
  ...Object.entries(MODERN_CLIENTS).map(([client, connect]) => [client, connect, MODERN_FEATURES] as const),
  ...OLDER.flatMap((revision) =>
    Object.entries({ ...OFFERING, ...SSE_CLIENTS }).map(([client, connect]): Row => [
      `${client}, which supports ${revision}`,
      (target) => connect(target, revision),
      featuresAt(revision),
    ]),
  ),
]

describe('three processes that serve requests in rotation', () => {
  let cluster: Cluster

  beforeAll(async () => {
    // Small pages ensure that every list has several.
    const serveNode = program(new URL('./support/serve-node.ts', import.meta.url))
    cluster = await startCluster([...serveNode, '--page-size', '4'])
  })
  afterAll(() => cluster?.stop())

  describe.each(rows)('the client %s', (_, connect, features) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await everywhere(await connect(cluster), cluster)
    })
    afterAll(() => driver?.close())

    for (const feature of features) it(feature.name, () => feature.run(driver, 'nodes'))
  })
})
