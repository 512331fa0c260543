import { readFileSync } from 'node:fs'

const DASHBOARD = new URL('../../../../docs/public/grafana/jetway.json', import.meta.url)
/** The published Prometheus rules. */
export const RULES: URL = new URL('../../../../docs/public/grafana/jetway.rules.yml', import.meta.url)

interface Source {
  readonly type: string
  readonly uid: string
}
interface Variable {
  readonly name: string
  readonly type: string
  readonly definition?: string
}

export interface Target {
  readonly refId: string
  readonly datasource: Source
  readonly expr: string
  readonly legendFormat: string
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: Source
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } }
  readonly targets?: readonly Target[]
}

export interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly Variable[] }
}

/** Reads the published Grafana dashboard. */
export const readDashboard = (): Dashboard => JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard

/** Returns the dashboard's expressions, keyed by panel. Grafana's variables have their values for "All". */
export function panelExpressions(): readonly (readonly [panel: string, expression: string])[] {
  return readDashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): readonly [string, string] => [
      title,
      expr.replaceAll(/\$(job|tool)/g, '.*').replaceAll('$__rate_interval', '30s'),
    ]),
  )
}

/** Returns the series that the dashboard's variables use. */
export function variableSeries(): readonly string[] {
  return readDashboard().templating.list.flatMap(({ definition }) =>
    definition === undefined
      ? []
      : definition.replace(/^label_values\((.*), \w+\)$/, '$1').replace('$job', '.*'),
  )
}

/** Returns the expressions of the rules, keyed by alert. */
export function ruleExpressions(): readonly (readonly [alert: string, expression: string])[] {
  const rules = readFileSync(RULES, 'utf8')
    .split(/^ +- alert: /m)
    .slice(1)
  return rules.map((rule) => {
    const [alert = '', ...lines] = rule.split('\n')
    const from = lines.findIndex((line) => line.trim() === 'expr: |') + 1
    const to = lines.findIndex((line) => line.trim().startsWith('for: '))
    return [alert, lines.slice(from, to).join('\n')]
  })
}

/** Returns the metric names in an expression, without the unit suffixes that the collector adds. */
export function namesIn(expression: string): readonly string[] {
  const bare = expression.replaceAll(/\(_(seconds|bytes)\)\?/g, '')
  return [...bare.matchAll(/\b(?:mcp_(?:server|client)_|jetway_)\w+/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'mcp_method_name')
}
