import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { callTool, initialize, MODERN, requestMeta } from '@jetway-apps/test-support'
import type { Cluster, ClusterNode } from '@jetway-apps/test-support/cluster'
import { freePorts, startNginx } from '@jetway-apps/test-support/nginx'
import { Client, type ClientHandlers, type Progress } from '@jetway/client'
import { http, sse } from '@jetway/client/http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startReplicas } from './support/replicas.ts'

const FILE = readFileSync(new URL('../deploy/nginx.conf', import.meta.url), 'utf8')
const MIB = 1024 * 1024

interface Deployment {
  readonly cluster: Cluster
  /** The port of nginx. */
  readonly port: number
}

/** Starts three processes behind nginx, with the published configuration file except for its addresses. */
async function deploy(): Promise<Deployment> {
  const cluster = await startReplicas()
  const [port = 0] = await freePorts(1)
  let file = FILE.replace('listen 80;', `listen 127.0.0.1:${port};`)
  for (const [at, { url }] of cluster.nodes.entries())
    file = file.replace(`10.0.0.${at + 1}:3000`, new URL(url).host)
  expect(file).not.toContain('10.0.0.')
  const nginx = await startNginx(file, [port])
  onTestFinished(() => nginx.stop())
  return { cluster, port }
}

interface Reply {
  readonly status: number
  readonly body: string
}

/** Sends a POST request with the server's public name as Host. `fetch` would send the socket's address instead. */
function post(port: number, message: object, headers: object = {}, host = 'mcp.example.com'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path: '/mcp',
      method: 'POST',
      headers: {
        host,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    sent.end(JSON.stringify(message))
  })
}

/** Calls a tool without a session. */
const call = (port: number, name: string, args: object = {}): Promise<Reply> => {
  const { params, ...message } = callTool(name, { ...args })
  const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }
  return post(port, { ...message, params: { ...params, _meta: requestMeta() } }, headers)
}

/** Connects a client with a session. */
async function connect(port: number, handlers: ClientHandlers = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { revisions: ['2025-11-25'], handlers })
  onTestFinished(() => client.close())
  return client.connect(http(`http://127.0.0.1:${port}/mcp`))
}

const textOf = async (client: Client, name: string): Promise<string> => {
  const [block] = (await client.callTool(name)).content
  return block?.type === 'text' ? block.text : ''
}

const pidsOf = (nodes: readonly ClusterNode[]): Set<string> =>
  new Set(nodes.map(({ running }) => `Process ${running.process.pid}`))

const requestsOf = ({ running: { output } }: ClusterNode): number =>
  output.stdout.split('"incoming request"').length - 1

it('a session on three processes behind nginx continues after one of them is killed', async () => {
  const { cluster, port } = await deploy()
  const client = await connect(port, {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  })
  const id = client.session?.id
  const seen = new Set([
    await textOf(client, 'who'),
    await textOf(client, 'who'),
    await textOf(client, 'who'),
  ])
  expect(seen).toEqual(pidsOf(cluster.nodes))
  expect(await textOf(client, 'greet')).toMatch(/^Hello, Ada/)

  const steps: Progress[] = []
  const counted = client.callTool('count', { to: 60 }, { onProgress: (step) => steps.push(step) })
  counted.catch(() => 'asserted below')
  await vi.waitFor(() => expect(steps.length).toBeGreaterThanOrEqual(2))
  await cluster.nodes.find((node) => pidsOf([node]).has(steps[0]?.message ?? ''))?.kill()
  await expect(counted).rejects.toMatchObject({ code: -32603 })
  expect(steps.map(({ progress }) => progress)).toEqual(steps.map((_, at) => at + 1))

  const left = [await textOf(client, 'who'), await textOf(client, 'who'), await textOf(client, 'who')]
  expect(cluster.nodes).toHaveLength(2)
  expect(new Set(left)).toEqual(pidsOf(cluster.nodes))
  expect(client.session?.id).toBe(id)
})

it('nginx does not retry a call whose process was killed, and sends later requests to the remaining processes', async () => {
  const { cluster, port } = await deploy()
  const counts = (): number[] => cluster.nodes.map(requestsOf)
  const lost = call(port, 'count', { to: 60 })
  await vi.waitFor(() => expect(counts().filter((count) => count === 1)).toHaveLength(1))
  await cluster.nodes[counts().indexOf(1)]?.kill()
  expect((await lost).status).toBe(502)
  expect(counts()).toEqual([0, 0])

  for (let i = 0; i < 4; i++) expect((await call(port, 'who')).status).toBe(200)
  expect(Math.min(...counts())).toBeGreaterThan(0)
})

it('nginx forwards bodies of 3 MiB and the public host name', async () => {
  const { port } = await deploy()
  expect((await call(port, 'who', { text: 'x'.repeat(3 * MIB) })).status).toBe(200)
  expect((await call(port, 'who', { text: 'x'.repeat(5 * MIB) })).status).toBe(413)
  expect((await post(port, initialize())).status).toBe(200)
  expect((await post(port, initialize(), {}, 'rebound.example.com')).status).toBe(403)
})

it('nginx can forward HTTP+SSE messages to any process', async () => {
  const { cluster, port } = await deploy()
  const client = new Client({ name: 'test', version: '1.0.0' }, { revisions: ['2024-11-05'] })
  onTestFinished(() => client.close())
  await client.connect(sse(`http://127.0.0.1:${port}/sse`))
  const before = cluster.nodes.map(requestsOf)
  const seen = new Set<string>()
  for (let i = 0; i < 6; i++) seen.add(await textOf(client, 'who'))
  // Every process receives messages, and forwards them to the process that writes the stream.
  await vi.waitFor(() => {
    const after = cluster.nodes.map(requestsOf)
    expect(after.every((count, node) => count > (before[node] ?? 0))).toBe(true)
  })
  expect(seen.size).toBe(1)
})
