import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { ALL_PARTS, createEndpoint } from '../../src/http/endpoint.ts'
import type { EndpointOptions, ResolvedOptions } from '../../src/http/options.ts'
import { resolveOptions as resolve } from '../../src/http/resolve-options.ts'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import type { RevisionDate } from '../../src/protocol/revisions/revision.ts'

const resolveOptions = (options: EndpointOptions): ResolvedOptions => resolve(options, ALL_PARTS)

describe('mount options', () => {
  it('default to the documented values', () => {
    expect(resolveOptions({})).toEqual({
      stateless: false,
      sessionPrefix: '',
      upgradeAfterMs: 2_000,
      response: 'auto',
      bodyLimit: 4 * 1024 * 1024,
      bodyTimeoutMs: 30_000,
      outboundLimit: 1024 * 1024,
      queuedLimit: 256 * 1024 * 1024,
      retryMs: 1_000,
      closeDeadlineMs: 10_000,
      seal: undefined,
      subscriptions: { max: 10_000, maxPerPrincipal: 100 },
      keepAlive: { mode: 'comment', intervalMs: 15_000, maxMissed: 3 },
      parseLimits: { maxDepth: 128, maxTokens: 100_000 },
      sessions: {
        ttlMs: 1_800_000,
        uninitializedTtlMs: 60_000,
        max: 10_000,
        maxPerPrincipal: 100,
        allowDelete: true,
        verifyMs: 1_000,
      },
    })
  })

  it('can turn keep-alive off, and can require the session to be verified on every request', () => {
    expect(resolveOptions({ streams: { keepAlive: false } }).keepAlive).toBe(false)
    expect(resolveOptions({ sessions: { verifyMs: 0 } }).sessions.verifyMs).toBe(0)
  })

  it('use the defaults for undefined values', () => {
    const options = {
      limits: { bodyBytes: undefined, sessions: { max: undefined } },
    } as unknown as EndpointOptions
    expect(resolveOptions(options)).toEqual(resolveOptions({}))
  })

  it.each([
    ['limits.bodyBytes', { limits: { bodyBytes: 0 } }],
    ['limits.bodyBytes', { limits: { bodyBytes: Number.POSITIVE_INFINITY } }],
    ['limits.bodyBytes', { limits: { bodyBytes: '1mb' as unknown as number } }],
    ['limits.subscriptions.max', { limits: { subscriptions: { max: 0 } } }],
    ['streams.upgradeAfterMs', { streams: { upgradeAfterMs: -1 } }],
    ['streams.upgradeAfterMs', { streams: { upgradeAfterMs: 2 ** 31 } }],
    ['streams.keepAlive', { streams: { keepAlive: true as unknown as false } }],
    ['streams.keepAlive', { streams: { keepAlive: null as unknown as false } }],
    ['streams.keepAlive.mode', { streams: { keepAlive: { mode: 'pong' as 'ping' } } }],
    ['streams.keepAlive.mode', { stateless: true, streams: { keepAlive: { mode: 'ping' as const } } }],
    ['streams.keepAlive.intervalMs', { streams: { keepAlive: { intervalMs: 0 } } }],
    ['streams.keepAlive.intervalMs', { streams: { keepAlive: { intervalMs: 2 ** 31 } } }],
    ['streams.keepAlive.maxMissed', { streams: { keepAlive: { mode: 'ping' as const, maxMissed: 1.5 } } }],
    ['limits.outboundBytes', { limits: { outboundBytes: 1.5 } }],
    ['streams.retryMs', { streams: { retryMs: Number.NaN } }],
    ['response', { response: 'xml' as unknown as 'sse' }],
    ['stateless', { stateless: 1 as unknown as boolean }],
    ['authenticate', { authenticate: 'bearer' as unknown as () => undefined }],
    ['sessions.max', { sessions: { max: 0 } }],
    ['sessions.ttlMs', { sessions: { ttlMs: Number.POSITIVE_INFINITY } }],
    ['sessions.verifyMs', { sessions: { verifyMs: -1 } }],
    ['sessions.allowDelete', { sessions: { allowDelete: 'no' as unknown as boolean } }],
    ['limits.closeDeadlineMs', { limits: { closeDeadlineMs: 0 } }],
    ['sessions.seal', { sessions: { seal: null as unknown as { keys: [] } } }],
    ['sessions.seal', { sessions: { seal: { keys: [] }, store: new MemorySessionStore() } }],
    ['sessions.prefix', { sessions: { prefix: 'a.b' } }],
    ['sessions.prefix', { sessions: { prefix: 'a', seal: { keys: [] } } }],
    ['sessions.seal.maxAgeMs', { sessions: { seal: { keys: [], maxAgeMs: 0 } } }],
    ['limits.parse.maxDepth', { limits: { parse: { maxDepth: -1 } } }],
  ])('are rejected with an error that names the option %s: %j', (name, options) => {
    expect(() => resolveOptions(options)).toThrow(
      new RegExp(`^The option ${name.replaceAll('.', '\\.')} .*ERR_MCP_OPTION`),
    )
  })

  it.each([[[]], [['2099-01-01']]])('must list one or more known revisions: %j', (revisions) => {
    const server = new McpServer({ name: 'x', version: '1' })
    expect(() => createEndpoint(server, { revisions: revisions as RevisionDate[] })).toThrow(
      /ERR_MCP_REVISION/,
    )
  })

  it('cannot list revisions that the server does not serve', () => {
    const server = new McpServer({ name: 'x', version: '1' }, { revisions: ['2025-06-18'] })
    expect(() => createEndpoint(server, { revisions: ['2025-03-26'] })).toThrow(/ERR_MCP_REVISION/)
  })
})

describe('createEndpoint', () => {
  it('starts no timers, uses no random bytes, and does not start the lifespan', () => {
    const clock = new FakeClock()
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

  it('throws if the server has closed', async () => {
    const server = new McpServer({ name: 'x', version: '1' })
    await server.close()
    expect(() => createEndpoint(server)).toThrow(/ERR_MCP_CLOSED/)
  })
})
