import { describe, expect, it } from 'vitest'
import { HOSTS } from '../../src/hosts/index.ts'
import type { Place } from '../../src/hosts/place.ts'
import { isPresent } from '../../src/hosts/presence.ts'
import { throughWsl, windowsSide } from '../../src/hosts/wsl.ts'

const PATH = '/usr/bin:/mnt/c/Windows/system32:/mnt/c/Users/Ann B/AppData/Local/Microsoft/WindowsApps'
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '/mnt/c/Users/Ann B': ['.cursor', '.claude.json'],
  '/mnt/c/Users/Ann B/AppData/Local/Packages': ['Claude_abc'],
  '/mnt/c/Users/Ann B/AppData/Roaming': ['Claude'],
}
const WSL: Place = {
  platform: 'linux',
  home: '/home/ann',
  env: { WSL_DISTRO_NAME: 'Ubuntu', PATH },
  list: (folder) => FOLDERS[folder] ?? [],
}

describe('Windows hosts', () => {
  it('are detected from WSL, together with their config files', () => {
    const side = windowsSide(WSL)
    const found = HOSTS.filter((host) => side !== undefined && isPresent(host, side.place))
    expect(found.map(({ id }) => id)).toEqual(['claude-desktop', 'claude-code', 'cursor'])
    expect(found.map((host) => side && host.files(side.place).map(side.mounted)[0])).toEqual([
      '/mnt/c/Users/Ann B/AppData/Local/Packages/Claude_abc/LocalCache/Roaming/Claude/claude_desktop_config.json',
      '/mnt/c/Users/Ann B/.claude.json',
      '/mnt/c/Users/Ann B/.cursor/mcp.json',
    ])
  })

  it('start the server in the current WSL distribution, and pass on its environment variables', () => {
    const side = windowsSide(WSL)
    const server = {
      command: '/usr/bin/node',
      args: ['/home/ann/a b.js', '$X'],
      env: { A: '1' },
      references: ['KEY'],
    }
    expect(side && throughWsl(server, side)).toEqual({
      command: 'wsl.exe',
      args: ['--distribution', 'Ubuntu', '--exec', '/usr/bin/node', '/home/ann/a b.js', '$X'],
      env: { A: '1', WSLENV: 'A/u:KEY/u' },
      references: ['KEY'],
    })
    expect(side && throughWsl({ ...server, env: {}, references: [] }, side).env).toEqual({})
  })

  it.each([
    ['another system', { ...WSL, platform: 'darwin' as const }],
    ['a Linux without Windows', { ...WSL, env: { PATH } }],
    ["a Linux whose PATH lacks Windows' folders", { ...WSL, env: { ...WSL.env, PATH: '/usr/bin' } }],
  ])('are not detected from %s', (_, place) => {
    expect(windowsSide(place)).toBeUndefined()
  })
})
