import { isObject } from '../formats/format.ts'
import { commandEntry, headersMember, type Host } from './host.ts'
import { dotConfigFolder, pathOf, settingsFolder } from './place.ts'

// https://zed.dev/docs/ai/mcp, https://zed.dev/docs/configuring-zed
export const zed: Host = {
  id: 'zed',
  title: 'Zed',
  format: 'json',
  key: 'context_servers',
  files: (place) => [
    place.platform === 'win32'
      ? pathOf(place).join(settingsFolder(place), 'Zed', 'settings.json')
      : pathOf(place).join(dotConfigFolder(place), 'zed', 'settings.json'),
  ],
  projectFile: '.zed/settings.json',
  references: 'none',
  local: (server) => commandEntry(server, (name) => server.env[name] ?? ''),
  remote: (server) => ({ url: server.url, ...headersMember(server) }),
  // Older versions use `command: { path, args, env }`.
  read({ command, ...entry }) {
    if (!isObject(command)) return { ...entry, command }
    const { path, ...others } = command
    return { ...entry, command: path, ...others }
  },
  next: 'Zed loads it by itself: see its Agent Panel, settings',
}
