import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { createEndpoint } from '../../src/http/endpoint.ts'
import type { HealthOptions } from '../../src/http/health.ts'
import { createHarness } from './support/harness.ts'

const server = (): McpServer => new McpServer({ name: 'test', version: '1' })

describe('the `health` option', () => {
  it('adds no paths by default, the standard paths for true, and custom paths for an object', () => {
    expect([...createEndpoint(server()).probes]).toEqual([])
    expect([...createEndpoint(server(), { health: false }).probes]).toEqual([])
    expect([...createEndpoint(server(), { health: true }).probes]).toEqual([
      ['/livez', 'livez'],
      ['/readyz', 'readyz'],
    ])
    expect([...createEndpoint(server(), { health: { livez: '/health/alive' } }).probes]).toEqual([
      ['/health/alive', 'livez'],
      ['/readyz', 'readyz'],
    ])
  })

  it.each<[string, HealthOptions]>([
    ['a path without a slash', { livez: 'livez' }],
    ['a pattern', { livez: '/:any' }],
    ['a wildcard', { readyz: '/*' }],
    ['a query', { readyz: '/ready?z' }],
    ['a number', { readyz: 1 as never }],
    ['the same path for both probes', { livez: '/z', readyz: '/z' }],
  ])('rejects %s', (_, health) => {
    expect(() => createEndpoint(server(), { health })).toThrow(/health.*ERR_MCP_OPTION/)
  })
})

describe('health probes', () => {
  it('report that the server is unready as soon as it starts draining, but alive until the end', async () => {
    let finish = (): void => {}
    const {
      endpoint,
      open,
      server: own,
    } = createHarness({
      endpoint: { health: true },
      setUp: (created) =>
        created.addTool({ name: 'slow', handler: () => new Promise<string>((end) => (finish = () => end('x'))) }), // prettier-ignore
    })
    const running = (await open()).call('slow')
    await settled()
    expect(endpoint.probe('readyz', 'GET')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    const closing = own.close()
    // Nothing has been awaited since then, so no request has arrived in between.
    expect(endpoint.probe('readyz', 'GET')).toMatchObject({ status: 503, body: '{"status":"draining"}' })
    expect(endpoint.probe('livez', 'GET')).toMatchObject({ status: 200, body: '{"status":"ok"}' })
    finish()
    await running
    await closing
    expect(endpoint.probe('readyz', 'GET').status).toBe(503)
    expect(endpoint.probe('livez', 'GET').status).toBe(200)
  })

  it('respond to HEAD without a body, and refuse other methods', () => {
    const { endpoint } = createHarness({ endpoint: { health: true } })
    expect(endpoint.probe('livez', 'HEAD')).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    })
    for (const method of ['POST', 'DELETE', 'OPTIONS', 'PUT'])
      expect(endpoint.probe('readyz', method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect(endpoint.stats().refusals).toEqual({})
  })
})
