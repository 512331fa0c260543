import { redis } from '@jetway/redis'
import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { expect, it, onTestFinished } from 'vitest'
import { telemetry } from '../src/index.ts'
import { namesIn, panelExpressions, ruleExpressions, variableSeries } from './support/dashboard.ts'
import { startServer } from './support/load.ts'

it('the Prometheus exporter has each metric of the dashboard and of the rules', async () => {
  const reader = new PrometheusExporter({ preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const observed = telemetry({ meterProvider })
  const { load } = await startServer({ telemetry: observed, logger: silent })
  // Nothing listens there: the metrics of shared stores say so.
  const shared = redis({ url: 'redis://127.0.0.1:1', namespace: 'test', logger: silent })
  const second = new McpServer(
    { name: 'second', version: '1' },
    { shared, telemetry: observed, logger: silent },
  )
  onTestFinished(async () => {
    await second.close()
    await meterProvider.shutdown()
  })
  await load()
  const { resourceMetrics } = await reader.collect()
  const text = new PrometheusSerializer().serialize(resourceMetrics)
  const there = new Set([...text.matchAll(/^([a-z]\w*)[{ ]/gm)].map(([, name]) => name))
  const expressions = [...panelExpressions(), ...ruleExpressions()].map(([, expression]) => expression)
  const used = new Set([...expressions, ...variableSeries()].flatMap(namesIn))
  expect(used.size).toBeGreaterThan(15)
  expect([...used].filter((name) => !there.has(name))).toEqual([])
})
