import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { composeFile, configOf, GRAFANA_FOLDER } from './support/compose.ts'
import { readDashboard } from './support/dashboard.ts'

const { services, configs } = composeFile()
const collector = configOf('collector')
const prometheus = configOf('prometheus')
const tempo = configOf('tempo')
const sources = configOf('sources')
const dashboards = configOf('dashboards')

/** Returns the path at which a service mounts a config. */
const targetOf = (service: string, config: string): string | undefined =>
  services[service]?.configs?.find(({ source }) => source === config)?.target
const volumesOf = (service: string): (readonly string[])[] =>
  (services[service]?.volumes ?? []).map((volume) => volume.split(':'))
const portOf = (address: unknown): string | undefined => String(address).split(':').at(-1)

describe("the guide's compose file", () => {
  it('defines exactly the configs that its services use', () => {
    const used = Object.values(services).flatMap((service) =>
      (service.configs ?? []).map(({ source }) => source),
    )
    expect(used.toSorted()).toEqual(Object.keys(configs).toSorted())
  })

  it('starts each program with the config file that is mounted for it', () => {
    for (const service of ['collector', 'tempo'])
      expect(services[service]?.command?.[0]?.split('=')[1]).toBe(targetOf(service, service))
    // Prometheus and Grafana read these files by default.
    expect(targetOf('prometheus', 'prometheus')).toBe('/etc/prometheus/prometheus.yml')
    expect(targetOf('grafana', 'sources')).toMatch(/^\/etc\/grafana\/provisioning\/datasources\//)
    expect(targetOf('grafana', 'dashboards')).toMatch(/^\/etc\/grafana\/provisioning\/dashboards\//)
  })

  it('publishes ports only on loopback', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? [])
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
    expect(ports.length).toBeGreaterThan(0)
  })

  it('lets the collector listen on the address that npm start uses', () => {
    const { endpoint } = collector.receivers.otlp.protocols.http
    expect(services['collector']?.ports).toContain(`127.0.0.1:4318:${portOf(endpoint)}`)
    expect(portOf(endpoint)).toBe('4318')
  })

  it('uses only defined receivers and exporters in its pipelines', () => {
    for (const { receivers, exporters } of Object.values(collector.service.pipelines)) {
      expect(Object.keys(collector.receivers)).toEqual(expect.arrayContaining([...receivers]))
      expect(Object.keys(collector.exporters)).toEqual(expect.arrayContaining([...exporters]))
    }
    expect(Object.keys(collector.service.pipelines)).toEqual(['traces', 'metrics'])
  })

  it('sends spans to Tempo and metrics to Prometheus', () => {
    const { endpoint } = tempo.distributor.receivers.otlp.protocols.grpc
    expect(collector.exporters.otlp.endpoint).toBe(`tempo:${portOf(endpoint)}`)
    expect(prometheus.scrape_configs.flatMap(({ static_configs: all }) => all)).toEqual([
      { targets: [`collector:${portOf(collector.exporters.prometheus.endpoint)}`] },
    ])
  })

  it('defines a Grafana data source for every store and for every dashboard panel', () => {
    expect(sources.datasources.map(({ type, url }) => [type, url])).toEqual([
      ['prometheus', 'http://prometheus:9090'],
      ['tempo', `http://tempo:${tempo.server.http_listen_port}`],
    ])
    const types = readDashboard().panels.flatMap(({ datasource }) => datasource?.type ?? [])
    expect(sources.datasources.map(({ type }) => type)).toEqual(expect.arrayContaining([...new Set(types)]))
  })

  it('mounts the dashboard and the rules where Grafana and Prometheus read them', () => {
    const files = [...volumesOf('prometheus'), ...volumesOf('grafana')]
    expect(files.map(([from = '']) => existsSync(new URL(basename(from), GRAFANA_FOLDER)))).toEqual([
      true,
      true,
    ])
    expect(files.map(([, , mode]) => mode)).toEqual(['ro', 'ro'])
    const [rules, dashboard] = files.map(([, to = '']) => to)
    const folder = dirname(targetOf('prometheus', 'prometheus') ?? '')
    expect(prometheus.rule_files.map((file) => `${folder}/${file}`)).toEqual([rules])
    expect(dashboards.providers.map(({ options }) => options.path)).toEqual([dirname(dashboard ?? '')])
  })
})
