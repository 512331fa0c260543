/** `npm run cluster`: Redis, three processes of one server, and a load balancer that sends each request to the next one. */
import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { startCluster } from '@jetway-apps/test-support/cluster'

const node = fileURLToPath(import.meta.url.replace(/main(\.\w+)$/, 'node$1'))
const env = { STATE_KEYS: randomBytes(32).toString('base64'), PORT: '0' }
const cluster = await startCluster([...process.execArgv, node], 3, env)
const pids = cluster.nodes.map(({ running }) => running.process.pid)

let stopping = false
for (const one of cluster.nodes)
  void one.running.exited.then(async () => {
    if (stopping) return
    // Removes it from the balancer: somebody else has killed it.
    await one.kill()
    console.log(`Process ${one.running.process.pid} has ended. ${cluster.nodes.length} are left`)
  })

console.log(`
One server in the processes ${pids.join(', ')}, over Redis on port ${cluster.redis.port}
${cluster.url}

Each request reaches the next process. Try:
  npm run chat -- ${cluster.url}
  the tool who: it says which process runs a call
  the tool greet: your answer may reach another process than the one that asks
  kill -9 ${pids[0]}, while the tool count runs: its call ends with an error, and the session goes on
  redis-cli -p ${cluster.redis.port} keys '*'
End it with Ctrl-C.
`)

const stop = async (): Promise<void> => {
  stopping = true
  await cluster.stop()
  process.exit()
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())
