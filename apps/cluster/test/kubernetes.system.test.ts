import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import { listening, type Serving, startNode } from '@jetway-apps/test-support/processes'
import { startRedis } from '@jetway-apps/test-support/redis'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it, onTestFinished } from 'vitest'
import { containerOf, readManifests } from './support/manifests.ts'
import { STATE_KEYS } from './support/replicas.ts'

const { deployment } = readManifests()
const container = containerOf(deployment)

/** Starts the program with the pod's environment variables, except for the secrets and the port. */
async function startPod(): Promise<Serving> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const env = Object.fromEntries(container.env?.map(({ name, value = '' }) => [name, value]) ?? [])
  expect(env['PORT']).toBe(`${container.ports?.[0]?.containerPort}`)
  const own = { ...env, REDIS_URL: redis.url, STATE_KEYS, PORT: '0' }
  const pod = await listening(startNode(program(new URL('../src/node.ts', import.meta.url)), own))
  onTestFinished(async () => void (await pod.stop('SIGKILL')))
  return pod
}

/** Returns the status of a probe. */
const probe = async (url: string, kind: 'readinessProbe' | 'livenessProbe'): Promise<number> =>
  (await fetch(new URL(container[kind]?.httpGet?.path ?? '', url))).status

const post = (url: string, message: object, headers: object = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(message) })

it('the pod responds to probes, is not ready during shutdown, and exits within its grace period', async () => {
  const pod = await startPod()
  // On loopback, the Host must be a loopback name.
  const url = pod.url.replace('0.0.0.0', '127.0.0.1')
  expect([await probe(url, 'readinessProbe'), await probe(url, 'livenessProbe')]).toEqual([200, 200])

  const opened = await post(url, initialize())
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await post(url, INITIALIZED, headers)
  // This time exceeds every deadline.
  const call = await post(url, callTool('count', { to: 60 }, { meta: { progressToken: 'count' } }), headers)
  const stopped = performance.now()
  pod.process.kill('SIGTERM')
  await expect.poll(() => probe(url, 'readinessProbe')).toBe(503)
  expect(await probe(url, 'livenessProbe')).toBe(200)
  expect(await call.text()).toContain('-32603')
  await pod.exited
  const { terminationGracePeriodSeconds: grace = 0 } = deployment.spec?.template.spec ?? {}
  const wait = container.lifecycle?.preStop?.sleep?.seconds ?? 0
  expect(wait).toBeGreaterThan(0)
  expect((performance.now() - stopped) / 1_000 + wait).toBeLessThan(grace)
})
