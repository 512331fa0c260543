import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silent } from '@jetway-apps/test-support'
import { freePort } from '@jetway-apps/test-support/http'
import { startRedis } from '@jetway-apps/test-support/redis'
import { redis } from '@jetway/redis'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { telemetry } from '../src/index.ts'
import { configText } from './support/compose.ts'
import { panelExpressions, ruleExpressions, RULES, variableSeries } from './support/dashboard.ts'
import { startServer } from './support/load.ts'
import { promtool, startPrometheus } from './support/prometheus.ts'

/** Returns a rule's expression without its threshold, so that it has a value in normal operation. */
const measured = (expression: string): string => expression.replace(/\n\s*[<>] \S+\s*$/, '')

describe('Prometheus', () => {
  it('returns values for every panel, variable and rule when a server is under load', async () => {
    const store = await startRedis()
    const shared = redis({ url: store.url, namespace: 'test', logger: silent })
    const port = await freePort()
    const exporter = new PrometheusExporter({ host: '127.0.0.1', port, preventServerStart: true })
    const meterProvider = new MeterProvider({ readers: [exporter] })
    await exporter.startServer()
    const { server, load } = await startServer({
      telemetry: telemetry({ meterProvider }),
      shared,
      logger: silent,
    })
    onTestFinished(async () => {
      await server.close({ deadline: 0 })
      await meterProvider.shutdown()
      await store.stop()
    })
    const query = await startPrometheus(`127.0.0.1:${port}`)
    await load()
    const expressions = [
      ...panelExpressions(),
      ...ruleExpressions().map(([alert, expression]): [string, string] => [alert, measured(expression)]),
      ...variableSeries().map((series): [string, string] => ['variable', series]),
    ]
    expect(expressions.length).toBeGreaterThan(30)
    for (const [where, expression] of expressions)
      await vi.waitFor(async () => {
        // A rate has a value only if there is load between two scrapes.
        const values = await query(expression)
        if (values.every(Number.isNaN)) await load()
        expect([where, expression, values.filter((value) => !Number.isNaN(value)).length]).toEqual([
          where,
          expression,
          expect.toSatisfy((count: number) => count > 0),
        ])
      })
    for (const [, expression] of ruleExpressions()) await query(expression)
  })
})

describe('promtool', () => {
  it("accepts the guide's configuration with the rules in the same folder", () => {
    const folder = mkdtempSync(join(tmpdir(), 'jetway-promtool-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const config = join(folder, 'prometheus.yml')
    writeFileSync(config, configText('prometheus'))
    copyFileSync(RULES, join(folder, 'jetway.rules.yml'))
    const { code, output } = promtool('check', 'config', config)
    expect([code, output]).toEqual([0, expect.stringContaining('6 rules found')])
  })

  it('accepts the rules', () => {
    expect(promtool('check', 'rules', fileURLToPath(RULES))).toMatchObject({ code: 0 })
  })

  it('confirms when each alert fires', () => {
    const tests = fileURLToPath(new URL('prometheus/rules.test.yml', import.meta.url))
    expect(promtool('test', 'rules', tests)).toMatchObject({ code: 0 })
  })
})
