import { type Balancer, startBalancer } from './balancer.ts'
import { listening, type Serving, startNode } from './processes.ts'
import { type RedisServer, startRedis } from './redis.ts'

/** One of several processes that serve the same server. */
export interface ClusterNode {
  /** The process's own URL, not the load balancer's. */
  readonly url: string
  readonly running: Serving
  /** Sends SIGKILL. The balancer sends no more requests to the process. */
  kill(): Promise<void>
  /** Sends SIGSTOP or SIGCONT. The balancer sends no requests to a stopped process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
}

/** Processes that share one Redis, behind a load balancer without affinity. */
export interface Cluster {
  /** The URL of the load balancer. */
  readonly url: string
  readonly redis: RedisServer
  /** The running processes. */
  readonly nodes: readonly ClusterNode[]
  /** Starts one more process with different environment variables. */
  start(env?: NodeJS.ProcessEnv): Promise<ClusterNode>
  /** Ends everything. */
  stop(): Promise<void>
}

/**
 * Starts Redis, and processes that read its URL from `REDIS_URL`.
 *
 * @param program - the arguments to Node. The program must print the JSON line of `apps/runner` when it is
 * listening
 * @param count - the number of processes
 * @param env - additional environment variables
 */
export async function startCluster(
  program: readonly string[],
  count = 3,
  env: NodeJS.ProcessEnv = {},
): Promise<Cluster> {
  const redis = await startRedis()
  const nodes: ClusterNode[] = []
  const serving = new Map<ClusterNode, number>()
  const start = async (own: NodeJS.ProcessEnv = env): Promise<ClusterNode> => {
    const running = await listening(startNode(program, { ...own, REDIS_URL: redis.url }))
    const port = Number(new URL(running.url).port)
    const node: ClusterNode = {
      url: running.url,
      running,
      async kill() {
        serving.delete(node)
        nodes.splice(nodes.indexOf(node), 1)
        await running.stop('SIGKILL')
      },
      signal(signal) {
        if (signal === 'SIGSTOP') serving.delete(node)
        else serving.set(node, port)
        running.process.kill(signal)
      },
    }
    nodes.push(node)
    serving.set(node, port)
    return node
  }
  let balancer: Balancer | undefined
  const stop = async (): Promise<void> => {
    await balancer?.stop()
    await Promise.all([...nodes].map((node) => node.kill()))
    await redis.stop()
  }
  try {
    await Promise.all(Array.from({ length: count }, () => start()))
    balancer = await startBalancer(() => [...serving.values()])
    return { url: balancer.url, redis, nodes, start, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
