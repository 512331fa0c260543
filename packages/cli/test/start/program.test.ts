import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appEnvironment, userEnvironment } from '../../src/start/environment.ts'
import { findProgram } from '../../src/start/find-program.ts'
import { belongsToVersion } from '../../src/start/short-lived.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'jetway-start-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

describe('findProgram', () => {
  it('returns the first executable in PATH', () => {
    const root = folder()
    for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(root, name))
    writeFileSync(join(root, 'a/tool'), '')
    mkdirSync(join(root, 'b/tool'))
    for (const name of ['c/tool', 'd/tool']) {
      writeFileSync(join(root, name), '')
      chmodSync(join(root, name), 0o755)
    }
    const path = ['', ...['a', 'b', 'c', 'd'].map((name) => join(root, name))].join(delimiter)
    expect(findProgram('tool', path)).toBe(join(root, 'c/tool'))
    expect(findProgram('other', path)).toBeUndefined()
    expect(findProgram('tool')).toBeUndefined()
  })

  it('runs apps with a minimal environment, and hosts in a terminal with the full environment', () => {
    const own = { PATH: '/own', HOME: '/home/a', OTHER: 'b', UNSET: undefined }
    expect(appEnvironment(own)).toEqual({ env: { PATH: '/usr/bin:/bin', HOME: '/home/a' }, cwd: '/' })
    expect(userEnvironment(own)).toEqual({
      env: { PATH: '/own', HOME: '/home/a', OTHER: 'b' },
      cwd: process.cwd(),
    })
  })
})

describe('belongsToVersion', () => {
  it.each([
    ['/home/a/.nvm/versions/node/v20/bin/node', true],
    ['/opt/homebrew/Cellar/node/20/bin/node', true],
    ['/usr/local/n/versions/node/20/bin/node', true],
    ['/home/a/.npm/_npx/1/node_modules/.bin/tool', true],
    ['/usr/bin/no-such-node', false],
    ['/home/nvm', false],
  ])('returns whether the path belongs to a version manager or cache: %s, %s', (path, expected) => {
    expect(belongsToVersion(path)).toBe(expected)
  })

  it('follows a symbolic link', () => {
    const root = folder()
    mkdirSync(join(root, '.nvm'))
    writeFileSync(join(root, '.nvm/node'), '')
    symlinkSync(join(root, '.nvm/node'), join(root, 'node'))
    expect(belongsToVersion(join(root, 'node'))).toBe(true)
    expect(belongsToVersion(root)).toBe(false)
  })
})
