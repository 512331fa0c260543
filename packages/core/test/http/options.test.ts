import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { ALL_PARTS, createEndpoint } from '../../src/http/endpoint.ts'
import type { EndpointOptions, ResolvedOptions } from '../../src/http/options.ts'
import { resolveOptions as resolve } from '../../src/http/resolve-options.ts'
import { MemorySessionStore } from '../../src/stores/memory-session-store.ts'
import type { RevisionDate } from '../../src/protocol/revisions/revision.ts'
import { TestClock } from './support/clock.ts'
import { createHarness, initializeMessage } from './support/harness.ts'

const resolveOptions = (options: EndpointOptions): ResolvedOptions => resolve(options, ALL_PARTS)

describe('the options of a mount', () => {
  it('have the defaults that are documented', () => {
    expect(resolveOptions({})).toEqual({
      stateless: false,
      upgradeAfterMs: 2_000,
      response: 'auto',
      bodyLimit: 4 * 1024 * 1024,
      outboundLimit: 1024 * 1024,
      retryMs: 1_000,
      closeDeadlineMs: 10_000,
      seal: undefined,
      listens: { max: 10_000, maxPerPrincipal: 100 },
      keepAlive: { mode: 'comment', intervalMs: 15_000, maxMissed: 3 },
      parseLimits: { maxDepth: 128, maxTokens: 100_000 },
      sessions: {
        ttlMs: 1_800_000,
        uninitializedTtlMs: 60_000,
        max: 10_000,
        maxPerPrincipal: 100,
        allowDelete: true,
      },
    })
  })

  it('count as left out when they are undefined', () => {
    const options = { bodyLimit: undefined, sessions: { max: undefined } } as unknown as EndpointOptions
    expect(resolveOptions(options)).toEqual(resolveOptions({}))
  })

  it.each([
    ['bodyLimit', { bodyLimit: 0 }],
    ['bodyLimit', { bodyLimit: Number.POSITIVE_INFINITY }],
    ['bodyLimit', { bodyLimit: '1mb' as unknown as number }],
    ['listens.max', { listens: { max: 0 } }],
    ['upgradeAfterMs', { upgradeAfterMs: -1 }],
    ['upgradeAfterMs', { upgradeAfterMs: 2 ** 31 }],
    ['keepAlive', { keepAlive: true as unknown as false }],
    ['keepAlive', { keepAlive: null as unknown as false }],
    ['keepAlive.mode', { keepAlive: { mode: 'pong' as 'ping' } }],
    ['keepAlive.mode', { stateless: true, keepAlive: { mode: 'ping' as const } }],
    ['keepAlive.intervalMs', { keepAlive: { intervalMs: 0 } }],
    ['keepAlive.intervalMs', { keepAlive: { intervalMs: 2 ** 31 } }],
    ['keepAlive.maxMissed', { keepAlive: { mode: 'ping' as const, maxMissed: 1.5 } }],
    ['outboundLimit', { outboundLimit: 1.5 }],
    ['retryMs', { retryMs: Number.NaN }],
    ['response', { response: 'xml' as unknown as 'sse' }],
    ['stateless', { stateless: 1 as unknown as boolean }],
    ['authenticate', { authenticate: 'bearer' as unknown as () => undefined }],
    ['sessions.max', { sessions: { max: 0 } }],
    ['sessions.ttlMs', { sessions: { ttlMs: Number.POSITIVE_INFINITY } }],
    ['sessions.allowDelete', { sessions: { allowDelete: 'no' as unknown as boolean } }],
    ['closeDeadlineMs', { closeDeadlineMs: 0 }],
    ['sessions.seal', { sessions: { seal: null as unknown as { keys: [] } } }],
    ['sessions.seal', { sessions: { seal: { keys: [] } }, sessionStore: new MemorySessionStore() }],
    ['sessions.seal.maxAgeMs', { sessions: { seal: { keys: [], maxAgeMs: 0 } } }],
    ['parseLimits.maxDepth', { parseLimits: { maxDepth: -1 } }],
  ])('are refused by name: %s in %j', (name, options) => {
    expect(() => resolveOptions(options)).toThrow(
      new RegExp(`^${name.replaceAll('.', '\\.')} .*ERR_MCP_OPTION`),
    )
  })

  it.each([[[]], [['2099-01-01']]])(
    'name at least one revision, and none that is unknown: %j',
    (revisions) => {
      const server = new McpServer({ name: 'x', version: '1' })
      expect(() => createEndpoint(server, { revisions: revisions as RevisionDate[] })).toThrow(
        /ERR_MCP_REVISION/,
      )
    },
  )

  it('cannot serve what the server does not', () => {
    const server = new McpServer({ name: 'x', version: '1' }, { revisions: ['2025-06-18'] })
    expect(() => createEndpoint(server, { revisions: ['2025-03-26'] })).toThrow(/ERR_MCP_REVISION/)
  })

  it('bound the body and the shape of messages', async () => {
    const { post } = createHarness({ endpoint: { bodyLimit: 1_000, parseLimits: { maxDepth: 4 } } })
    expect((await post({ ...initializeMessage(), pad: 'x'.repeat(1_000) })).status).toBe(413)
    expect((await post({ ...initializeMessage(), deep: [[[[1]]]] })).status).toBe(400)
    expect((await post(initializeMessage())).status).toBe(200)
  })
})

describe('mounting a server', () => {
  it('starts no timer, draws nothing random and opens nothing', () => {
    const clock = new TestClock()
    let opened = 0
    const server = new McpServer(
      { name: 'x', version: '1' },
      {
        clock,
        random: () => {
          throw new Error('drawn too early')
        },
        lifespan: () => opened++,
      },
    )
    createEndpoint(server)
    createEndpoint(server, { stateless: true })
    expect([clock.pending, opened]).toEqual([0, 0])
  })

  it('is refused once the server is closed', async () => {
    const server = new McpServer({ name: 'x', version: '1' })
    await server.close()
    expect(() => createEndpoint(server)).toThrow(/ERR_MCP_CLOSED/)
  })
})
