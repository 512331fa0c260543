import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))
const IMPORT = /^(?:import|export)\s[^'"]*?from '([^']+)'|^import '([^']+)'/gm

/** Returns the files that a file imports statically, except for type imports. */
function loaded(
  path: string,
  seen: Map<string, readonly string[]> = new Map(),
): Map<string, readonly string[]> {
  if (seen.has(path)) return seen
  const text = readFileSync(path, 'utf8')
  const specifiers = [...text.matchAll(IMPORT)]
    .filter(([statement]) => !/^(?:import|export) type\b/.test(statement))
    .map(([, from, bare]) => from ?? bare ?? '')
  seen.set(path, specifiers)
  for (const specifier of specifiers)
    if (specifier.startsWith('.')) loaded(join(dirname(path), specifier), seen)
  return seen
}

it('the main entry point runs without Node.js and loads no schema library', () => {
  const files = loaded(join(source, 'index.ts'))
  expect([...files.keys()].every((path) => existsSync(path))).toBe(true)
  expect(files.size).toBeGreaterThan(20)
  const packages = new Set([...files.values()].flat().filter((specifier) => !specifier.startsWith('.')))
  expect([...packages].toSorted()).toEqual([
    '@jetway/core/protocol',
    '@jetway/core/stores',
    '@jetway/core/telemetry',
  ])
  for (const path of files.keys()) expect(readFileSync(path, 'utf8')).not.toMatch(/\b(?:process|Buffer)\./)
})

it('the manager runs without Node.js, and loads transports only on demand', () => {
  const files = loaded(join(source, 'manager/index.ts'))
  const packages = new Set([...files.values()].flat().filter((specifier) => !specifier.startsWith('.')))
  expect([...packages].toSorted()).toEqual([
    '@jetway/core/protocol',
    '@jetway/core/stores',
    '@jetway/core/telemetry',
    'lru-cache',
  ])
  for (const path of files.keys()) expect(readFileSync(path, 'utf8')).not.toMatch(/\b(?:process|Buffer)\./)
})

it.each([['resource-cache', ['@jetway/core/stores', 'lru-cache']]])(
  'the entry point %s runs without Node.js and loads only what it needs',
  (entry, packages) => {
    const files = loaded(join(source, entry, 'index.ts'))
    expect(files.size).toBeGreaterThan(3)
    const found = new Set([...files.values()].flat().filter((specifier) => !specifier.startsWith('.')))
    expect([...found].toSorted()).toEqual(packages)
    for (const path of files.keys()) expect(readFileSync(path, 'utf8')).not.toMatch(/\b(?:process|Buffer)\./)
  },
)
