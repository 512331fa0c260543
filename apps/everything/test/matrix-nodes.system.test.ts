import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { program } from '@jetway-tools/runtimes/program'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { CLIENTS, type Driver, MODERN_CLIENTS, OFFERING } from './support/clients.ts'
import { everywhere } from './support/everywhere.ts'
import { FEATURES } from './support/features.ts'
import type { Feature } from './support/features/feature.ts'
import { MODERN_FEATURES } from './support/features/modern.ts'
import { featuresAt } from './support/features/revisions.ts'
import type { Target } from './support/processes.ts'

type Connect = (target: Target) => Promise<Driver>

const OLDER = ['2025-06-18', '2025-03-26', '2024-11-05']

const rows: readonly (readonly [client: string, Connect, readonly Feature[]])[] = [
  ...Object.entries(CLIENTS).map(([client, connect]) => [client, connect, FEATURES] as const),
  ...Object.entries(MODERN_CLIENTS).map(([client, connect]) => [client, connect, MODERN_FEATURES] as const),
  ...OLDER.flatMap((revision) =>
    Object.entries(OFFERING).map(
      ([client, connect]) =>
        [
          `${client}, which supports ${revision}`,
          (target: Target) => connect(target, revision),
          featuresAt(revision),
        ] as const,
    ),
  ),
]

describe('over three processes, each request at another one', () => {
  let cluster: Cluster

  beforeAll(async () => {
    // Pages are small, so that every list has several.
    const serveNode = program(new URL('./support/serve-node.ts', import.meta.url))
    cluster = await startCluster([...serveNode, '--page-size', '4'])
  })
  afterAll(() => cluster?.stop())

  describe.each(rows)('the official client %s', (_, connect, features) => {
    let driver: Driver

    beforeAll(async () => {
      driver = await everywhere(await connect(cluster), cluster)
    })
    afterAll(() => driver?.close())

    for (const feature of features) it(feature.name, () => feature.run(driver, 'nodes'))
  })
})
