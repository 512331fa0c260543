import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { importFailure } from '../../src/server-file/import-failure.ts'

function packageWith(manifest: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  return folder
}

const errorWith = (members: object, message: string): Error => Object.assign(new Error(message), members)
const TRANSFORM = { name: 'TransformError' }
const SEMICOLON = 'Transform failed with 1 error:\n/a/server.ts:1:18: ERROR: Unexpected ";"'
const AWAIT =
  'Transform failed with 1 error:\n/a/server.ts:1:18: ERROR: Top-level await is currently not supported with the "cjs" output format'
const typed = (): Error =>
  Object.assign(new SyntaxError('Missing initializer'), {
    stack:
      '/a/server.ts:1\nconst x: number\n      ^\n\nSyntaxError: Missing initializer\n    at wrapSafe (x:1:1)',
  })

describe('importFailure', () => {
  it.each([
    ['top-level await', 'server.ts', errorWith(TRANSFORM, AWAIT), 'Top-level await'],
    ['types', 'server.ts', typed(), 'SyntaxError: Missing initializer'],
    [
      'an import of an ES module',
      'server.js',
      errorWith({ code: 'ERR_REQUIRE_ESM' }, 'require() of ES Module'),
      'require()',
    ],
    ['an import', 'server.js', new SyntaxError('Cannot use import statement outside a module'), 'Cannot use'],
  ])('advises "type": "module" for %s in a CommonJS package', (_, name, error, text) => {
    const folder = packageWith({ name: 'x' })
    expect(importFailure(join(folder, name), error)).toEqual({
      message: expect.stringMatching(
        /server\.[jt]s runs as CommonJS, because its package is not "type": "module":\n/,
      ),
      hint: `Run npm pkg set type=module in ${folder}`,
    })
    expect(importFailure(join(folder, name), error)?.message).toContain(text)
  })

  it.each([
    [{ type: 'module' }, 'server.ts', typed()],
    [{ type: 'module' }, 'server.ts', errorWith(TRANSFORM, SEMICOLON)],
    [{ name: 'x' }, 'server.ts', errorWith(TRANSFORM, SEMICOLON)],
    [{ name: 'x' }, 'server.mts', typed()],
    [{ name: 'x' }, 'server.js', new SyntaxError('Unexpected token')],
  ])(
    'given the package %j, reports where %s does not compile, without a stack trace',
    (manifest, name, error) => {
      const file = join(packageWith(manifest), name)
      const failure = importFailure(file, error)
      expect(failure?.hint).toBe('Correct the file')
      expect(failure?.message).toMatch(/^\S+ does not compile:\n/)
      expect(failure?.message).not.toMatch(/^ {4}at |Transform failed|ERROR/m)
    },
  )

  it.each([new Error('the code of the file failed'), 'a text', undefined])(
    'returns undefined for %s',
    (error) => {
      expect(importFailure('/a/server.ts', error)).toBeUndefined()
    },
  )
})
