import type { JetwayJson, Setting } from '../project/jetway-json.ts'

/** A setting in a bundle's manifest. The host asks its user for the value. */
export interface UserConfigOption {
  readonly type: NonNullable<Setting['type']>
  readonly title: string
  readonly description: string
  readonly required?: boolean
  readonly default?: string | number | boolean
  readonly sensitive?: boolean
}

/**
 * Returns the key for each environment variable's setting: `API_KEY` becomes `api_key`. Keys that would be
 * the same are numbered.
 */
export function userConfigKeys({ settings = {} }: JetwayJson): ReadonlyMap<string, string> {
  const keys = new Map<string, string>()
  for (const name of Object.keys(settings).toSorted()) {
    const wanted = name.toLowerCase()
    let key = wanted
    for (let number = 2; [...keys.values()].includes(key); number++) key = `${wanted}_${number}`
    keys.set(name, key)
  }
  return keys
}

/** Returns the manifest's `user_config`. */
export function userConfigOf(jetwayJson: JetwayJson): Readonly<Record<string, UserConfigOption>> {
  const { settings = {} } = jetwayJson
  return Object.fromEntries(
    [...userConfigKeys(jetwayJson)].map(([name, key]) => [key, optionOf(settings[name] as Setting)]),
  )
}

function optionOf({
  title,
  description,
  type = 'string',
  required,
  secret,
  default: preset,
}: Setting): UserConfigOption {
  return {
    type,
    title,
    description,
    ...(required === true && { required }),
    ...(preset !== undefined && { default: preset }),
    ...(secret === true && { sensitive: true }),
  }
}

/** Returns the `env` of the manifest's command. The value of each variable is the placeholder for its setting. */
export const environmentOf = (jetwayJson: JetwayJson): Readonly<Record<string, string>> =>
  Object.fromEntries([...userConfigKeys(jetwayJson)].map(([name, key]) => [name, `\${user_config.${key}}`]))
