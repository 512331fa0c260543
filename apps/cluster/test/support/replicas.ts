import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { program } from '@jetway-tools/runtimes/program'
import { onTestFinished } from 'vitest'

/** The public URL of the deployment in `deploy/`. */
export const PUBLIC_URL = 'https://mcp.example.com/mcp'

/** A 32-byte key in base64. */
export const STATE_KEYS: string = Buffer.alloc(32, 7).toString('base64')

/** Starts three processes that share Redis, on free ports. They are stopped at the end of the test. */
export async function startReplicas(): Promise<Cluster> {
  const env = { PUBLIC_URL, STATE_KEYS, PORT: '0' }
  const cluster = await startCluster(program(new URL('../../src/node.ts', import.meta.url)), 3, env)
  onTestFinished(() => cluster.stop())
  return cluster
}
