import type { Format } from './edit/format.ts'
import type { Host } from './host.ts'

/** Imported late: each brings a parser. */
const FORMATS: Readonly<Record<Host['format'], () => Promise<Format>>> = {
  json: async () => (await import('./edit/json.ts')).jsonFormat,
  toml: async () => (await import('./edit/toml.ts')).tomlFormat,
  yaml: async () => (await import('./edit/yaml.ts')).yamlFormat,
}

export const formatOf = ({ format }: Host): Promise<Format> => FORMATS[format]()
