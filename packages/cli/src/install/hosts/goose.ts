import type { Host } from '../host.ts'
import { dotConfigFolder, pathOf, settingsFolder } from '../place.ts'

/** In seconds. Goose's forms have the same default. */
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
  references: true,
  local: ({ command, args, env, references }, name) => ({
    enabled: true,
    type: 'stdio',
    name,
    description: '',
    cmd: command,
    args: [...args],
    envs: env,
    // Goose takes these from its environment, or else from its store of secrets.
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
  next: 'Start a new session of Goose',
}
