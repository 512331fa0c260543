import { join } from 'node:path'
import process from 'node:process'
import type { Host } from '../../hosts/host.ts'
import { dotConfigFolder, type Place, settingsFolder } from '../../hosts/place.ts'

/**
 * Files to which users and installers add servers, although the host does not read them. For Claude Code's
 * `settings.json`, see https://github.com/anthropics/claude-code/issues/24477.
 */
const MISPLACED: Readonly<Record<string, (place: Place, project: string) => readonly string[]>> = {
  'claude-desktop': (place) => [
    join(place.home, '.claude', 'claude_desktop_config.json'),
    join(dotConfigFolder(place), 'claude', 'claude_desktop_config.json'),
    join(dotConfigFolder(place), 'Claude', 'claude_desktop_config.json'),
    join(settingsFolder(place), 'Claude', 'mcp.json'),
    join(settingsFolder(place), 'Claude', 'config.json'),
  ],
  'claude-code': ({ home }, project) =>
    [home, project].flatMap((folder) =>
      ['settings.json', 'settings.local.json', 'mcp.json', '.mcp.json'].map((name) =>
        join(folder, '.claude', name),
      ),
    ),
  cursor: (place, project) => [
    join(place.home, '.cursor', 'settings.json'),
    join(project, '.cursor', 'settings.json'),
    join(settingsFolder(place), 'Cursor', 'User', 'mcp.json'),
  ],
  vscode: ({ home }) => [join(home, '.vscode', 'mcp.json')],
  windsurf: ({ home }) => [
    join(home, '.codeium', 'windsurf', 'mcp.json'),
    join(home, '.windsurf', 'mcp_config.json'),
  ],
  codex: ({ home }) => [join(home, '.codex', 'mcp.json'), join(home, '.codex', 'config.json')],
  'gemini-cli': ({ home }, project) => [home, project].map((folder) => join(folder, '.gemini', 'mcp.json')),
}

/** Returns the paths of files that the host does not read, whether or not they exist. */
export function misplacedFiles(host: Host, place: Place): readonly string[] {
  const project = process.cwd()
  const read = new Set(host.files(place))
  if (host.projectFile !== undefined) read.add(join(project, host.projectFile))
  const files = MISPLACED[host.id]?.(place, project) ?? []
  return files.filter((file) => !read.has(file))
}
