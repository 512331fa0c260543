import { once, setMaxListeners } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { McpServer, tasks } from '@jetway/core'
import { SpanKind, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { telemetry, traceFields } from '../src/index.ts'
import { connectOver } from './support/mounts.ts'
import { registerSdk } from './support/sdk.ts'

const CALL = 'tools/call tool'
const ANY = z.looseObject({})
const idsOf = (span: ReadableSpan) => span.spanContext()
const traceparentOf = (index: number): string =>
  `00-${index.toString(16).padStart(32, '0')}-${'1'.padStart(16, '0')}-01`
const traceIdOf = (index: number): string => index.toString(16).padStart(32, '0')

it('each of 1,000 concurrent calls stays in its own trace, even if it times out or is cancelled', async () => {
  const { spans, openSpans } = registerSdk()
  const lines: { call: unknown; traceId: string | undefined }[] = []
  const log = (call: unknown): void => void lines.push({ call, traceId: traceFields().trace_id })
  const timeouts: (string | undefined)[] = []
  const error = (): void => void timeouts.push(traceFields().trace_id)
  const server = new McpServer(
    { name: 'busy', version: '1' },
    {
      telemetry: telemetry(),
      limits: { running: 1_000, inFlight: 1_000 },
      logger: { debug: error, info: error, warn: error, error },
    },
  )
  const wait = (args: unknown, signal: AbortSignal) => {
    const { call } = args as { call: number }
    log(call)
    signal.addEventListener('abort', () => log(call))
    return new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => resolve('ended'))
      if (call % 3 === 0) setImmediate(() => resolve('fine'))
    })
  }
  server.addTool({ name: 'tool', inputSchema: ANY, handler: (args, ctx) => wait(args, ctx.signal) })
  server.addTool({
    name: 'slow',
    timeoutMs: 5,
    inputSchema: ANY,
    handler: (args, ctx) => wait(args, ctx.signal),
  })
  const client = await connectOver('memory', server, { revisions: ['2025-11-25'] })
  const leave = new AbortController()
  setMaxListeners(0, leave.signal)
  const calls = Array.from({ length: 1_000 }, (_, i) => {
    const call = i + 1
    const name = call % 3 === 1 ? 'slow' : 'tool'
    const signal = call % 3 === 2 ? { signal: leave.signal } : {}
    const _meta = { traceparent: traceparentOf(call) }
    return client.callTool(name, { call }, { _meta, ...signal }).catch(() => {})
  })
  await vi.waitFor(() => expect(new Set(lines.map(({ call }) => call)).size).toBe(1_000))
  leave.abort(new Error('enough'))
  await Promise.all(calls)
  await vi.waitFor(() => expect(spans().filter(({ name }) => name.startsWith('tools/'))).toHaveLength(1_000))
  expect(lines.filter(({ call, traceId }) => traceId !== traceIdOf(call as number))).toEqual([])
  expect(lines.length).toBeGreaterThan(1_600)
  const ids = spans().flatMap((span) => (span.name.startsWith('tools/') ? [idsOf(span).traceId] : []))
  expect(new Set(ids)).toEqual(new Set(calls.map((_, i) => traceIdOf(i + 1))))
  expect(timeouts.length).toBeGreaterThan(0)
  expect(timeouts).not.toContain(undefined)
  expect(openSpans()).toBe(0)
})

it('fetch calls and timers in a handler run within the span of their call', async () => {
  const { spans, span } = registerSdk()
  const tracer = trace.getTracer('instrumentation')
  const upstream = createHttpServer((_request, response) => void response.end('{}'))
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void upstream.close())
  const { port } = upstream.address() as AddressInfo
  const server = new McpServer({ name: 'server', version: '1' }, { telemetry: telemetry() })
  server.addTool({
    name: 'tool',
    handler: async () => {
      await (await fetch(`http://127.0.0.1:${port}`)).text()
      tracer.startSpan('after fetch').end()
      await delay(1)
      tracer.startSpan('after a timer').end()
      await new Promise((resolve) => setImmediate(resolve))
      tracer.startSpan('after an immediate').end()
      return 'fine'
    },
  })
  const client = await connectOver('Fastify', server)
  await client.callTool('tool')
  const { spanId } = idsOf(span(CALL))
  const below = spans().filter(({ kind }) => kind === SpanKind.INTERNAL)
  expect(below.map(({ name, parentSpanContext }) => [name, parentSpanContext?.spanId])).toEqual([
    ['after fetch', spanId],
    ['after a timer', spanId],
    ['after an immediate', spanId],
  ])
})

it('a queued call keeps the span that was active when it arrived', async () => {
  const { spans } = registerSdk()
  const server = new McpServer(
    { name: 'server', version: '1' },
    { telemetry: telemetry(), limits: { running: 1 } },
  )
  const open: (() => void)[] = []
  server.addTool({
    name: 'tool',
    handler: () => new Promise<string>((resolve) => open.push(() => resolve('fine'))),
  })
  const client = await connectOver('toFetch', server, { revisions: ['2025-11-25'] })
  const tracer = trace.getTracer('http')
  const post = (name: string) =>
    tracer.startActiveSpan(name, async (http) => {
      await client.callTool('tool')
      http.end()
    })
  const posts = [post('POST 1'), post('POST 2')]
  await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(2))
  for (const index of [0, 1]) {
    await vi.waitFor(() => expect(open).toHaveLength(index + 1))
    open[index]?.()
  }
  await Promise.all(posts)
  const parents = spans()
    .filter(({ name }) => name === CALL)
    .map(({ parentSpanContext }) => spans().find((each) => idsOf(each).spanId === parentSpanContext?.spanId))
  expect(parents.map((parent) => parent?.name)).toEqual(['POST 1', 'POST 2'])
})

it('a task runs in its own trace, which links to the call that started the task', async () => {
  const { spans } = registerSdk()
  const server = new McpServer(
    { name: 'server', version: '1' },
    { telemetry: telemetry(), extensions: [tasks()], tasks: { pollIntervalMs: 1 } },
  )
  server.addTool({ name: 'tool', taskSupport: 'required', handler: () => 'done' })
  const client = await connectOver('memory', server, { revisions: ['2025-11-25'] })
  const task = await client.startTask('tool')
  await task.result()
  await vi.waitFor(() => expect(spans().filter(({ name }) => name === CALL)).toHaveLength(2))
  const [call, run] = spans()
    .filter(({ name }) => name === CALL)
    .toSorted((a) => (a.attributes['jetway.outcome'] === 'task' ? -1 : 1))
  expect(call?.attributes['jetway.outcome']).toBe('task')
  expect(run?.parentSpanContext).toBeUndefined()
  expect(run?.links.map(({ context }) => context.spanId)).toEqual([call && idsOf(call).spanId])
  expect(run && idsOf(run).traceId).not.toBe(call && idsOf(call).traceId)
})
