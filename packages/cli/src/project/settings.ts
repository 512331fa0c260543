import { usageError } from '../errors.ts'
import type { JetwayJson, Setting } from './jetway-json.ts'

/** The values of variables, keyed by name. */
export type Values = Readonly<Record<string, string>>

/** The option for values that a server needs in order to start. */
export const ENV_OPTION = {
  env: {
    type: 'string',
    placeholder: 'NAME[=VALUE]',
    multiple: true,
    help: 'a variable that the server needs to start; without a value, yours. Nothing stores it',
  },
} as const

/** Reads the values of `--env`. @throws CliError `usage` */
export function givenValues(
  words: readonly string[] = [],
  own: Readonly<Record<string, string | undefined>>,
): Values {
  return Object.fromEntries(
    words.map((word) => {
      const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? []
      if (!/^[A-Za-z_]\w*$/.test(name)) throw usageError(`--env needs NAME or NAME=VALUE, not ${word}`)
      const found = value ?? own[name]
      if (found !== undefined) return [name, found]
      throw usageError(`--env ${name}: your environment has no such variable`, `Write --env ${name}=VALUE`)
    }),
  )
}

/** Returns the default of a setting as a string, which is how hosts set the variable. */
export const defaultOf = ({ default: preset }: Setting): string | undefined =>
  preset === undefined ? undefined : String(preset)

/** Returns the defaults of all settings, overridden by the given values. */
export function startValues({ settings = {} }: JetwayJson, given: Values): Values {
  const defaults = Object.entries(settings).flatMap(([name, setting]) => {
    const preset = defaultOf(setting)
    return preset === undefined ? [] : [[name, preset] as const]
  })
  return { ...Object.fromEntries(defaults), ...given }
}

/** @throws CliError `usage` if a required setting has neither a default nor a given value */
export function checkRequired({ settings = {} }: JetwayJson, values: Values): void {
  const missing = Object.entries(settings)
    .filter(([name, { required }]) => required === true && values[name] === undefined)
    .map(([name]) => name)
  const [first] = missing
  if (first === undefined) return
  throw usageError(
    `The server needs ${missing.join(', ')} to start`,
    `Give a value for this run only: --env ${first}=VALUE. With --env ${first} it is taken from your environment`,
  )
}
