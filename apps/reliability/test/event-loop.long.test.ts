import process from 'node:process'
import { callTool, MODERN, requestMeta } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Cost, COSTS } from './support/costs.ts'

/** The limit of CPU time in ms, which other processes of a busy machine hardly affect. */
const MAX_CPU_MS = 200
/** The number of runs. The fastest counts, because garbage collection and compilation are not costs of the message. */
const ROUNDS = 4

const measured = new Map<string, number>()

describe('a message within the size limits', () => {
  it.each(COSTS)('takes at most 200 ms of CPU time: $what', async (cost) => {
    const { times, status } = await measure(cost)
    expect(status).toBe(200)
    const least = Math.min(...times)
    measured.set(cost.what, least)
    expect(least).toBeLessThanOrEqual(MAX_CPU_MS)
  })

  it('takes at most 200 ms of CPU time in the worst case', ({ task }) => {
    expect(measured.size).toBe(COSTS.length)
    const [[what, most] = ['', 0]] = [...measured].toSorted(([, a], [, b]) => b - a)
    Object.assign(task.meta, { figure: `the most of ${measured.size}: ${what}, ${Math.round(most)} ms` })
  })
})

async function measure({ inputSchema, args }: Cost): Promise<{ times: number[]; status: number }> {
  const server = new McpServer({ name: 'costs', version: '1.0.0' })
  onTestFinished(() => server.close())
  server.addTool({ name: 'take', inputSchema: inputSchema as { type: 'object' }, handler: () => 'taken' })
  const handle = toFetch(server, { allowedHosts: ['localhost'] })
  const body = JSON.stringify(callTool('take', args, { meta: requestMeta() }))
  expect(Buffer.byteLength(body)).toBeLessThan(4 * 1024 * 1024)
  const times: number[] = []
  let status = 0
  for (let round = 0; round < ROUNDS; round++) {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body })
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
  'mcp-protocol-version': MODERN,
  'mcp-method': 'tools/call',
  'mcp-name': 'take',
}
