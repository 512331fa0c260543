import { setFlagsFromString } from 'node:v8'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { McpServer } from '@jetway/core'
import { connectPeer, memoryTransport, type TestConnection } from '@jetway/testing'
import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, it, onTestFinished } from 'vitest'
import { telemetry } from '../src/index.ts'

const COUNT = 100_000
const MIB = 1024 * 1024
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void
/** Waits for the next turn of the event loop, because the target of a WeakRef is kept until then. */
async function heap(): Promise<number> {
  await nextTurn()
  collect()
  return process.memoryUsage().heapUsed
}

/** Registers an SDK that counts spans but does not store them. */
function registerCountingSdk() {
  let open = 0
  let ended = 0
  const names = new Set<string>()
  const processor: SpanProcessor = {
    onStart: () => void open++,
    onEnd({ name }) {
      open--
      ended++
      names.add(name)
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
  metrics.setGlobalMeterProvider(meterProvider)
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  onTestFinished(async () => {
    trace.disable()
    metrics.disable()
    context.disable()
    await meterProvider.shutdown()
  })
  return {
    names,
    open: () => open,
    ended: () => ended,
    async series(): Promise<number> {
      exporter.reset()
      await reader.forceFlush()
      const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
      return all.flatMap((scope) => scope.metrics).reduce((sum, { dataPoints }) => sum + dataPoints.length, 0)
    },
  }
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'busy', version: '1' }, { telemetry: telemetry(), logger: silent })
  server.addTool({ name: 'real', handler: () => 'fine' })
  return server
}

async function connect(server: McpServer): Promise<TestConnection> {
  const transport = await memoryTransport.open(server)
  return connectPeer(await transport.dial(), { revision: '2025-11-25' })
}

it(
  '100,000 invented names of tools, methods, resources and prompts create at most 40 series and 40 span names',
  { timeout: 300_000 },
  async () => {
    const sdk = registerCountingSdk()
    const client = await connect(createServer())
    onTestFinished(() => client.close())
    for (let i = 0; i < COUNT; i += 4) {
      await client.request('tools/call', { name: `tool ${i}` })
      await client.request(`method/${i}`)
      await client.request('resources/read', { uri: `no:///${i}` })
      await client.request('prompts/get', { name: `prompt ${i}` })
    }
    expect(sdk.ended()).toBeGreaterThanOrEqual(COUNT)
    expect(await sdk.series()).toBeLessThanOrEqual(40)
    expect(sdk.names.size).toBeLessThanOrEqual(40)
  },
)

it(
  '100,000 calls and 1,000 closed servers leave no open spans and do not grow the heap',
  { timeout: 300_000 },
  async () => {
    const sdk = registerCountingSdk()
    const client = await connect(createServer())
    onTestFinished(() => client.close())
    const callAndServe = async (calls: number, servers: number): Promise<void> => {
      for (let i = 0; i < calls; i++) await client.request('tools/call', { name: 'real' })
      for (let i = 0; i < servers; i++) {
        const server = createServer()
        const other = await connect(server)
        await other.request('tools/call', { name: 'real' })
        await other.close()
        await server.close()
      }
    }
    await callAndServe(COUNT / 10, 100)
    const before = await heap()
    await callAndServe(COUNT, 1_000)
    expect(((await heap()) - before) / MIB).toBeLessThan(4)
    expect(sdk.open()).toBe(0)
  },
)
