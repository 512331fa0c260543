import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** The folder with the dashboard and the rules. */
export const GRAFANA_FOLDER: URL = new URL('../../../../docs/public/grafana/', import.meta.url)
const GUIDE = new URL('../../guide/observability.md', GRAFANA_FOLDER)

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly configs?: readonly { readonly source: string; readonly target: string }[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly configs: Readonly<Record<string, { readonly content: string }>>
}

interface Endpoint {
  readonly endpoint: string
}
interface Pipeline {
  readonly receivers: readonly string[]
  readonly exporters: readonly string[]
}

/** The parts of the compose file's configs that the tests check. */
interface Configs {
  readonly collector: {
    readonly receivers: { readonly otlp: { readonly protocols: { readonly http: Endpoint } } }
    readonly exporters: { readonly prometheus: Endpoint; readonly otlp: Endpoint }
    readonly service: { readonly pipelines: Readonly<Record<string, Pipeline>> }
  }
  readonly prometheus: {
    readonly rule_files: readonly string[]
    readonly scrape_configs: readonly { readonly static_configs: readonly unknown[] }[]
  }
  readonly tempo: {
    readonly server: { readonly http_listen_port: number }
    readonly distributor: {
      readonly receivers: { readonly otlp: { readonly protocols: { readonly grpc: Endpoint } } }
    }
  }
  readonly sources: { readonly datasources: readonly { readonly type: string; readonly url: string }[] }
  readonly dashboards: { readonly providers: readonly { readonly options: { readonly path: string } }[] }
}

/** Reads the guide's compose file. */
export function composeFile(): Compose {
  const [, text] = /```yaml\n(services:\n[\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []
  if (text === undefined) throw new Error('The guide has no compose file')
  return parse(text) as Compose
}

/** Returns the text of one config. */
export function configText(name: keyof Configs): string {
  return composeFile().configs[name]?.content ?? ''
}

export function configOf<Name extends keyof Configs>(name: Name): Configs[Name] {
  return parse(configText(name)) as Configs[Name]
}
