import type { ServerConfig } from '@jetway/client/config'
import type { OptionValues } from '../command.ts'
import { usageError } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import type { TargetOptions } from './options.ts'

/**
 * Adds the headers from `--header` and `--bearer-env`. Error messages do not contain their values. @throws
 * CliError
 */
export function withHeaders(
  config: ServerConfig,
  values: OptionValues<TargetOptions>,
  { streams }: Terminal,
): ServerConfig {
  const given = (values.header ?? []).map(parseHeader)
  const variable = values['bearer-env']
  if (variable !== undefined) {
    const token = streams.env[variable]
    if (token === undefined || token === '')
      throw usageError(
        `The environment variable ${variable} is not set`,
        '--bearer-env names the variable that has the token',
      )
    given.push(['authorization', `Bearer ${token}`])
  }
  if (given.length === 0) return config
  if (!('url' in config))
    throw usageError('--header and --bearer-env are for a URL: a process gets no headers')
  const configured = typeof config.headers === 'object' ? config.headers : {}
  return { ...config, headers: { ...configured, ...Object.fromEntries(given) } }
}

function parseHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw usageError('A --header must have the form "Name: value"')
  return [name.toLowerCase(), value]
}
