import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { callFrame, listen, openSession, post } from '@jetway-apps/test-support/http'
import { type Running, listening } from '@jetway-apps/test-support/processes'
import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startWeather, startWeatherOnHttp } from './support/start-weather.ts'

interface Named {
  readonly name: string
}
interface Exported {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly Named[] }[] }[]
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly Named[] }[]
  }[]
}

/** Starts an OTLP receiver (JSON over HTTP) that records the names of spans and metrics. */
async function startReceiver() {
  const spans: string[] = []
  const metrics: string[] = []
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(body) as Exported
      for (const { scopeSpans } of resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans.map(({ name }) => name))
      for (const { scopeMetrics } of resourceMetrics)
        for (const scope of scopeMetrics) metrics.push(...scope.metrics.map(({ name }) => name))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const { origin, release } = await listen(receiver)
  onTestFinished(release)
  return { origin, spans, metrics }
}

const announced = (weather: Running, origin: string): void =>
  expect(weather.output.stderr).toContain(`Traces and metrics are sent to ${origin}\n`)

describe('--otel', () => {
  it.each(['fastify', 'hono'])(
    'sends all spans and metrics before the process exits, on %s',
    async (adapter) => {
      const { origin, spans, metrics } = await startReceiver()
      const weather = await startWeatherOnHttp('--adapter', adapter, '--otel', origin)
      announced(weather, origin)
      const session = await openSession(weather.url)
      await (await post(weather.url, callFrame('get_forecast', { city: 'Denver' }), session)).text()
      expect(await weather.stop()).toBe(0)
      expect(spans.filter((name) => name === 'tools/call get_forecast')).toHaveLength(1)
      expect(metrics).toContain('mcp.server.operation.duration')
      expect(metrics).toContain('mcp.server.session.duration')
    },
  )

  it('sends all spans and metrics when a stdio client disconnects', async () => {
    const { origin, spans, metrics } = await startReceiver()
    const weather = startWeather('--stdio', `--otel=${origin}`)
    for (const message of [
      initialize(),
      INITIALIZED,
      callTool('get_forecast', { city: 'Denver' }, { id: 2 }),
    ])
      weather.process.stdin.write(`${JSON.stringify(message)}\n`)
    await weather.until(/"id":2/)
    announced(weather, origin)
    weather.process.stdin.end()
    expect(await weather.exited).toBe(0)
    expect(spans.filter((name) => name === 'tools/call get_forecast')).toHaveLength(1)
    expect(metrics).toContain('mcp.server.operation.duration')
  })

  it("uses OTLP's default port if no address is given, and does not delay the exit if nothing listens there", async () => {
    const weather = await listening(startWeather('--otel', '--port', '0'))
    announced(weather, 'http://127.0.0.1:4318')
    await (await post(weather.url, callFrame('get_forecast', { city: 'Denver' }))).text()
    expect(await weather.stop()).toBe(0)
  })

  it('rejects an invalid address', async () => {
    const weather = startWeather('--otel', 'collector:4318')
    expect(await weather.exited).toBe(2)
    expect(weather.output.stderr).toContain('--otel is an http or https address')
  })
})
