import { commandEntry, type Host } from './host.ts'
import { pathOf, type Place, settingsFolder } from './place.ts'

const FILE = 'claude_desktop_config.json'

export const claudeDesktop: Host = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  key: 'mcpServers',
  files: (place) => [...packagedFiles(place), pathOf(place).join(settingsFolder(place), 'Claude', FILE)],
  references: 'none',
  local: (server) => commandEntry(server, (name) => server.env[name] ?? ''),
  strictJson: true,
  next: 'Quit Claude Desktop and start it again',
}

/**
 * Returns the files of the MSIX package, as which the app has been distributed on Windows since February
 * 2026. The package reads only a copy of `%APPDATA%` in its own folder. See
 * https://github.com/anthropics/claude-code/issues/26073.
 */
function packagedFiles(place: Place): readonly string[] {
  if (place.platform !== 'win32') return []
  const { join } = pathOf(place)
  const packages = join(place.env['LOCALAPPDATA'] ?? join(place.home, 'AppData', 'Local'), 'Packages')
  return place
    .list(packages)
    .filter((name) => name.startsWith('Claude_'))
    .map((name) => join(packages, name, 'LocalCache', 'Roaming', 'Claude', FILE))
}
