import process from 'node:process'
import { callTool, initialize, MODERN, requestMeta, slowness } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Cost, COSTS } from './support/costs.ts'

/** The maximum CPU time, in ms. Unlike elapsed time, it is hardly affected by other processes. */
const MAX_CPU_MS = 200
/** The number of runs. The median and the first run, which includes compilation, have separate limits. */
const ROUNDS = 5
const MAX_FIRST_CPU_MS = 400

const measured = new Map<string, number>()

describe('a message within the size limits', () => {
  it.each(COSTS)('takes at most 200 ms of CPU time: $what', async (cost) => {
    const { times, status } = await measure(cost)
    expect(status).toBe(200)
    const [first = 0] = times
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
    measured.set(cost.what, median)
    const { cpu: slower } = slowness()
    expect(median).toBeLessThanOrEqual((cost.mostMs ?? MAX_CPU_MS) * slower)
    expect(first).toBeLessThanOrEqual(MAX_FIRST_CPU_MS * slower)
  })

  it('takes at most 200 ms of CPU time in the worst case', ({ task }) => {
    expect(measured.size).toBe(COSTS.length)
    const [[what, most] = ['', 0]] = [...measured].toSorted(([, a], [, b]) => b - a)
    Object.assign(task.meta, { figure: `the most of ${measured.size}: ${what}, ${Math.round(most)} ms` })
  })
})

async function measure({
  inputSchema,
  args,
  batch,
  handler = () => 'taken',
  outputSchema,
}: Cost): Promise<{ times: number[]; status: number }> {
  const server = new McpServer({ name: 'costs', version: '1.0.0' })
  onTestFinished(() => server.close())
  server.addTool({
    name: 'take',
    inputSchema: inputSchema as { type: 'object' },
    ...(outputSchema && { outputSchema: outputSchema as { type: 'object' } }),
    handler: handler as () => string,
  })
  const handle = toFetch(server, { allowedHosts: ['localhost'] })
  const call = callTool('take', args, batch === undefined ? { meta: requestMeta() } : {})
  const calls = Array.from({ length: batch ?? 0 }, (_, id) => ({ ...call, id }))
  const body = JSON.stringify(batch === undefined ? call : calls)
  const headers = batch === undefined ? MODERN_HEADERS : await openSession(handle)
  expect(Buffer.byteLength(body)).toBeLessThan(4 * 1024 * 1024)
  const times: number[] = []
  let status = 0
  for (let round = 0; round < ROUNDS; round++) {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body })
    const before = process.cpuUsage()
    const response = await handle(request)
    await response.text()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
    status = response.status
  }
  return { times, status }
}

const HEADERS = {
  host: 'localhost',
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
}

const MODERN_HEADERS = {
  ...HEADERS,
  'mcp-protocol-version': MODERN,
  'mcp-method': 'tools/call',
  'mcp-name': 'take',
}

/** Opens a session in the revision that supports batches. Returns the session's headers. */
async function openSession(handle: ReturnType<typeof toFetch>): Promise<Record<string, string>> {
  const body = JSON.stringify(initialize('2025-03-26'))
  const opened = await handle(new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body }))
  return { ...HEADERS, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
}
