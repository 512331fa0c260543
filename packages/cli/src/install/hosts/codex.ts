import type { Host } from '../host.ts'
import { pathOf } from '../place.ts'

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
  references: true,
  local: ({ command, args, env, references }) => ({
    command,
    args: [...args],
    ...(Object.keys(env).length > 0 && { env }),
    // Codex passes only a few variables to a server; these are added.
    ...(references.length > 0 && { env_vars: [...references] }),
  }),
  remote: ({ url, headers }) => ({ url, ...(Object.keys(headers).length > 0 && { http_headers: headers }) }),
  next: 'Start Codex again, and see /mcp. It reads the file of a project only if you trust the project',
}
