import { usageError } from '../errors.ts'
import { isObject } from '../formats/format.ts'
import { type Host, pick } from './host.ts'
import { pathOf, type Place } from './place.ts'

// https://developers.openai.com/codex/mcp
export const codex: Host = {
  id: 'codex',
  title: 'Codex',
  format: 'toml',
  key: 'mcp_servers',
  files: (place) => {
    const { join } = pathOf(place)
    return [join(place.env['CODEX_HOME'] ?? join(place.home, '.codex'), 'config.toml')]
  },
  projectFile: '.codex/config.toml',
  references: 'members',
  local: ({ command, args, env, references }) => ({
    command,
    args: [...args],
    ...(Object.keys(env).length > 0 && { env }),
    // By default, Codex passes only a few variables to a server. The variables listed here are passed as well.
    ...(references.length > 0 && { env_vars: [...references] }),
  }),
  remote: ({ url, headers }) => ({ url, ...(Object.keys(headers).length > 0 && { http_headers: headers }) }),
  read({ env_vars, http_headers, env_http_headers, bearer_token_env_var, ...entry }, own) {
    if (entry['url'] === undefined)
      return { ...entry, env: { ...pick(own, variableNames(env_vars)), ...members(entry['env']) } }
    const named = Object.entries(members(env_http_headers)).flatMap(([header, name]) =>
      typeof name === 'string' && own[name] !== undefined ? [[header, own[name]]] : [],
    )
    return {
      ...entry,
      headers: {
        ...members(http_headers),
        ...Object.fromEntries(named),
        ...bearer(bearer_token_env_var, own),
      },
    }
  },
  inTerminal: true,
  next: 'Start Codex again, and see /mcp. It reads the file of a project only if you trust the project',
}

const members = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

/** The items are names, or tables that contain a name. */
const variableNames = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).flatMap((each: unknown) => {
    const name = isObject(each) ? each['name'] : each
    return typeof name === 'string' ? [name] : []
  })

function bearer(name: unknown, own: Place['env']): { readonly Authorization?: string } {
  if (typeof name !== 'string') return {}
  const token = own[name]
  if (token === undefined) throw usageError(`The environment variable ${name} is not set`)
  return { Authorization: `Bearer ${token}` }
}
