import { isObject } from '../formats/format.ts'
import { type Host, pick } from './host.ts'
import { dotConfigFolder, pathOf, settingsFolder } from './place.ts'

/** The timeout, in seconds. It is the default in Goose's forms. */
const TIMEOUT = 300

// https://goose-docs.ai/docs/guides/config-files
export const goose: Host = {
  id: 'goose',
  title: 'Goose',
  format: 'yaml',
  key: 'extensions',
  files: (place) => [
    place.platform === 'win32'
      ? pathOf(place).join(settingsFolder(place), 'Block', 'goose', 'config', 'config.yaml')
      : pathOf(place).join(dotConfigFolder(place), 'goose', 'config.yaml'),
  ],
  references: 'members',
  local: ({ command, args, env, references }, name) => ({
    enabled: true,
    type: 'stdio',
    name,
    description: '',
    cmd: command,
    args: [...args],
    envs: env,
    // Goose reads these variables from its environment or its secret store.
    env_keys: [...references],
    timeout: TIMEOUT,
  }),
  remote: ({ url, headers }, name) => ({
    enabled: true,
    type: 'streamable_http',
    name,
    description: '',
    uri: url,
    envs: {},
    env_keys: [],
    headers,
    timeout: TIMEOUT,
  }),
  read({ cmd, uri, envs, env_keys, headers, ...entry }, own) {
    const keys = Array.isArray(env_keys) ? env_keys.filter((key) => typeof key === 'string') : []
    const env = { ...pick(own, keys), ...(isObject(envs) && envs) }
    if (entry['type'] === 'stdio') return { ...entry, command: cmd, env }
    const filled = isObject(headers) ? mapValues(headers, (text) => substitute(text, env)) : {}
    return {
      ...entry,
      ...(entry['type'] === 'streamable_http' && { type: 'http' }),
      url: uri,
      headers: filled,
    }
  },
  inTerminal: true,
  next: 'Start a new session of Goose',
}

const mapValues = (values: Readonly<Record<string, unknown>>, map: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

/** Replaces `$NAME` and `${NAME}`, which headers may use to refer to variables of the same entry. */
function substitute(text: unknown, env: Readonly<Record<string, unknown>>): unknown {
  if (typeof text !== 'string') return text
  return text.replaceAll(
    /\$(?:\{\s*(\w+)\s*\}|([A-Za-z_]\w*))/g,
    (all: string, braced?: string, plain?: string) => asText(env[braced ?? plain ?? '']) ?? all,
  )
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
