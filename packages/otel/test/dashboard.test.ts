import { readFileSync } from 'node:fs'
import { redis } from '@jetway/redis'
import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { describe, expect, it, onTestFinished } from 'vitest'
import { telemetry } from '../src/index.ts'
import { GRAFANA_FOLDER } from './support/compose.ts'
import {
  namesIn,
  panelExpressions,
  readDashboard,
  ruleExpressions,
  variableSeries,
} from './support/dashboard.ts'
import { startServer } from './support/load.ts'

it('the Prometheus exporter exports every metric used by the dashboard and the rules', async () => {
  const reader = new PrometheusExporter({ preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const observed = telemetry({ meterProvider })
  const { load } = await startServer({ telemetry: observed, logger: silent })
  // Nothing listens on this port, so the metrics of the shared stores report failures.
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

describe('the dashboard', () => {
  const { panels, templating } = readDashboard()
  const charts = panels.filter(({ type }) => type !== 'row')

  it.each(charts.map((panel) => [panel.title, panel] as const))(
    'gives each panel a data source, a description and a unit: %s',
    (_, { datasource, description, fieldConfig, targets = [] }) => {
      const source = { type: 'prometheus', uid: '${source}' }
      expect(description).toMatch(/\.$/)
      expect(fieldConfig?.defaults.unit).toMatch(/./)
      expect([datasource, ...targets.map((target) => target.datasource)]).toEqual([
        source,
        ...targets.map(() => source),
      ])
      expect(targets.map(({ refId }) => refId)).toEqual(['A', 'B', 'C'].slice(0, targets.length))
      expect(targets.length).toBeGreaterThan(0)
    },
  )

  it("uses only labels from a panel's own expression in the panel's legend", () => {
    const missing = charts.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr, legendFormat }) =>
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = '']) =>
          new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr) ? [] : [`${title}: ${label}`],
        ),
      ),
    )
    expect(missing).toEqual([])
  })

  it('uses only defined variables', () => {
    const used = new Set(
      [...JSON.stringify([panels, templating]).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name),
    )
    expect(used).toEqual(new Set([...templating.list.map(({ name }) => name), '__all', '__rate_interval']))
  })

  it('gives each panel a unique id, and a position within the 24 columns', () => {
    const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => [`${x + (i % w)}:${y + Math.floor(i / w)}`, title] as const),
    )
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Map(cells).size).toBe(cells.length)
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  })
})

it('the guide lists each alert with the time until it fires', () => {
  const read = (path: string): string => readFileSync(new URL(path, GRAFANA_FOLDER), 'utf8')
  const listed = [
    ...read('../../guide/observability.md').matchAll(/^\| `(Jetway\w+)` \|.*? for (\d+) minutes? \|/gm),
  ]
  const defined = [...read('jetway.rules.yml').matchAll(/alert: (\w+)$[^]*?for: (\d+)m$/gm)]
  expect(listed.map(([, ...row]) => row)).toEqual(defined.map(([, ...rule]) => rule))
  expect(listed).toHaveLength(6)
})
