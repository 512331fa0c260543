import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src', import.meta.url))

/** Returns the packages that an entry point and its files import. */
function loaded(entry: string, files = new Set<string>(), packages = new Set<string>()): typeof packages {
  if (files.has(entry)) return packages
  files.add(entry)
  for (const [, from = ''] of readFileSync(entry, 'utf8').matchAll(
    /^(?:import|export)\b(?! type)[^'"]*?from '([^']+)'/gms,
  )) {
    if (from.startsWith('.')) loaded(join(dirname(entry), from), files, packages)
    else packages.add(from)
  }
  return packages
}

describe('the OAuth code', () => {
  it('is loaded, with its dependencies, only through its own subpath', () => {
    const own = ['jose', 'oauth4webapi', 'ipaddr.js', 'node:https', 'node:dns/promises']
    expect([...loaded(join(src, 'oauth.ts'))]).toEqual(expect.arrayContaining(own))
    const main = [...loaded(join(src, 'index.ts'))]
    expect(main).toContain('@jetway/core/protocol')
    expect(main.filter((name) => own.includes(name))).toEqual([])
  })

  it('is the only code that imports the OAuth libraries', () => {
    const importing = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /from '(jose|oauth4webapi|ipaddr\.js)'/.test(readFileSync(join(src, file), 'utf8')))
    expect(importing.length).toBeGreaterThan(5)
    expect(importing.filter((file) => relative('auth/oauth', file).startsWith('..'))).toEqual([])
  })
})
