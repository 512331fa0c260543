import type { Format, FormatName } from './format.ts'

/** Each format is imported on demand, because its module includes a parser. */
const FORMATS: Readonly<Record<FormatName, () => Promise<Format>>> = {
  json: async () => (await import('./json.ts')).jsonFormat,
  toml: async () => (await import('./toml.ts')).tomlFormat,
  yaml: async () => (await import('./yaml.ts')).yamlFormat,
}

export const formatOf = (name: FormatName): Promise<Format> => FORMATS[name]()
