/**
 * `npm run cluster`: Redis, three processes of one server, and a load balancer that sends each request to the next one.
 */
import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { HELP, type Prompt, startPrompt } from './prompt.ts'

const node = fileURLToPath(import.meta.url.replace(/main(\.\w+)$/, 'node$1'))
const env = { STATE_KEYS: randomBytes(32).toString('base64'), PORT: '0' }

let cluster: Cluster | undefined
let prompt: Prompt | undefined
let stopping = false
const stop = async (): Promise<void> => {
  if (stopping) return
  stopping = true
  await prompt?.close()
  await cluster?.stop()
  process.exit()
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())

try {
  cluster = await startCluster([...process.execArgv, node], 3, env)
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
const pids = cluster.nodes.map(({ running }) => running.process.pid ?? 0)

for (const one of cluster.nodes)
  void one.running.exited.then(async () => {
    if (stopping) return
    // This removes the process from the load balancer.
    await one.kill()
    console.log(`Process ${one.running.process.pid} has ended. ${cluster?.nodes.length} are left`)
  })

console.log(`
One server in the processes ${pids.join(', ')}, over Redis on port ${cluster.redis.port}
${cluster.url}

Each request reaches the next process. Type:
${HELP}

Or connect your own client, such as: npm run chat -- ${cluster.url}
Ctrl-C ends everything.
`)
prompt = await startPrompt(cluster.url, pids, () => void stop())
