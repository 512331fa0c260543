import { duplex } from '@jetway/client'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { connect } from '@jetway/testing'
import { freePort } from '@jetway-apps/test-support/http'
import { context, metrics, trace } from '@opentelemetry/api'
import { McpServer } from '@jetway/core'
import { telemetry } from '@jetway/otel'
import { expect, it, onTestFinished, vi } from 'vitest'
import { client as host, manager } from '../src/client/telemetry.ts'
import { server, stop } from '../src/server/telemetry.ts'
import { startCollector } from './support/collector.ts'

function createWeather(): McpServer {
  const weather = new McpServer({ name: 'weather', version: '1.0.0' }, { telemetry: telemetry() })
  weather.addTool({ name: 'forecast', handler: () => 'Sunny' })
  return weather
}

it('the server in the guide exports each call once, even if the process stops right after the calls', async () => {
  const { url, spans } = await startCollector()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    trace.disable()
    context.disable()
  })
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  const { tracing } = await import('../src/server/instrumentation.ts')
  const client = await connect(server)
  await client.callTool('forecast')
  await client.close()
  const [near, far] = createMemoryTransportPair()
  server.connect(far)
  await host.connect(duplex(near))
  await host.listTools()
  await host.close()
  await manager.closeAll()
  await stop(tracing)
  const names = spans.map(({ name }) => name)
  expect(names.filter((name) => name === 'tools/call forecast')).toHaveLength(1)
  expect(names.filter((name) => name === 'tools/list')).toHaveLength(2)
})

it('the metrics in the guide can be scraped by Prometheus', async () => {
  const port = await freePort()
  vi.stubEnv('OTEL_EXPORTER_PROMETHEUS_HOST', '127.0.0.1')
  vi.stubEnv('OTEL_EXPORTER_PROMETHEUS_PORT', `${port}`)
  const { measuring } = await import('../src/server/metrics.ts')
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    metrics.disable()
    await measuring.shutdown()
  })
  const own = createWeather()
  const client = await connect(own)
  await client.callTool('forecast')
  const page = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(await page.text()).toMatch(
    /^mcp_server_operation_duration_count\{.*gen_ai_tool_name="forecast".*\} 1$/m,
  )
  await client.close()
  await own.close()
})
