import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  dateLiterals,
  eraBranches,
  eraQuestions,
  eraReads,
  httpOrder,
  importOrder,
  lengthWall,
  mutualImports,
  publicSubpaths,
  publishedExports,
  roomSize,
  schemaLibraries,
  unfinished,
  versionComparisons,
  webStandardsOnly,
  type Manifest,
} from './architecture/rules.ts'
import { codeLines, parseSource, type Source } from './architecture/source.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { members } = (await import(`${root}scripts/members.mjs`)) as { readonly members: readonly string[] }
const manifests = members.map(
  (member) => JSON.parse(readFileSync(`${root}${member}/package.json`, 'utf8')) as Manifest,
)
const exported = Object.fromEntries(manifests.map(({ name, exports = {} }) => [name, Object.keys(exports)]))

function sourcesIn(folder: string): Source[] {
  if (!existsSync(root + folder)) return []
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(root + path, 'utf8')))
}

const shipped = members.flatMap((member) => sourcesIn(`${member}/src`))
const tests = members.flatMap((member) => sourcesIn(`${member}/test`))

/** Returns the files that a package exports, as paths from the root. */
function entriesOf(member: string): string[] {
  const { exports = {} } = manifests[members.indexOf(member)] ?? {}
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : `${member}/${target['jetway:source']?.slice(2)}`,
  )
}
const entries = entriesOf('packages/core')

const sample = (path: string, text: string): Source => parseSource(path, text)
const core = (path: string, text: string): Source => sample(`packages/core/src/${path}`, text)

describe('the layers in core', () => {
  it('import only earlier layers', () => {
    expect(shipped.flatMap((source) => importOrder(source, entries))).toEqual([])
  })

  it.each([
    ['a value imported from the right', `import { a } from '../features/tools.ts'`],
    ['a type imported from the right', `import type { A } from '../features/tools.ts'`],
    ['a re-export from the right', `export * from '../features/tools.ts'`],
    ['a dynamic import from the right', `const a = await import('../features/tools.ts')`],
    ['a type from the right by import()', `export type A = import('../features/tools.ts').A`],
    ['an import of an entry file', `import { a } from '../http/index.ts'`],
    ['an import of a room further to the right', `import { a } from '../tasks/task-runner.ts'`],
    ['an import of a file outside every layer', `import { a } from '../helpers.ts'`],
  ])('may not contain %s', (_, text) => {
    expect(importOrder(core('session/session.ts', text), entries)).toHaveLength(1)
  })

  it('must include every file', () => {
    expect(importOrder(core('helpers.ts', ''), entries)).toHaveLength(1)
  })

  it('let an entry file import every layer, and let a layer import every earlier layer', () => {
    expect(importOrder(core('index.ts', `export * from './http/endpoint.ts'`), entries)).toEqual([])
    expect(
      importOrder(core('http/endpoint.ts', `import '../errors.ts'; import './guard.ts'`), entries),
    ).toEqual([])
  })
})

describe('the import order inside http/', () => {
  it('is followed by every file', () => {
    expect(shipped.flatMap(httpOrder)).toEqual([])
  })

  it.each([
    ['the next room', 'http/guard/guard.ts', `import '../streams/replay.ts'`],
    [
      'a type of a room further up',
      'http/nodes/peers.ts',
      `import type { A } from '../sessions/live-session.ts'`,
    ],
    [
      'a file of http/ that is not at the bottom',
      'http/streams/replay.ts',
      `import { a } from '../endpoint.ts'`,
    ],
    ['a room by a file at the bottom', 'http/options.ts', `import type { A } from './guard/bearer.ts'`],
    ['a folder that is missing from the order', 'http/endpoint.ts', `import './helpers/a.ts'`],
  ])('forbids an import of %s', (_, path, text) => {
    expect(httpOrder(core(path, text))).toHaveLength(1)
  })

  it('forbids a file in a folder that is missing from the order', () => {
    expect(httpOrder(core('http/helpers/a.ts', ''))).toHaveLength(1)
  })

  it.each([
    ['files at the bottom', 'http/guard/guard.ts', `import '../types.ts'; import '../refusals.ts'`],
    ['an earlier room', 'http/adapter/accept.ts', `import '../guard/guard.ts'; import './read-body.ts'`],
    ['a room with the same position', 'http/legacy-sse/responses.ts', `import '../streamable/post.ts'`],
    [
      'anything by a file at the top',
      'http/endpoint.ts',
      `import './adapter/accept.ts'; import './parts.ts'`,
    ],
    ['other layers of core', 'http/guard/guard.ts', `import '../../session/session.ts'`],
  ])('allows an import of %s', (_, path, text) => {
    expect(httpOrder(core(path, text))).toEqual([])
  })
})

describe('two folders in src', () => {
  const tools = core('features/tools/tools.ts', `import '../apps/tool-ui.ts'`)

  it('never import each other', () => {
    expect(mutualImports(shipped)).toEqual([])
  })

  it.each([
    ['values', `import { a } from '../tools/tool-call.ts'`],
    ['types', `import type { A } from '../tools/tool-call.ts'`],
    ['a re-export', `export { a } from '../tools/tool-call.ts'`],
  ])('may not import each other: %s', (_, text) => {
    const found = mutualImports([tools, core('features/apps/tool-ui.ts', text)])
    expect(found).toEqual([
      'packages/core/src/features/apps/tool-ui.ts imports packages/core/src/features/tools/tool-call.ts, and packages/core/src/features/tools/tools.ts imports packages/core/src/features/apps/tool-ui.ts',
    ])
  })

  it('may not import each other, even through different files at different depths', () => {
    const entry = core('protocol/index.ts', `export { a } from '../features/tools/tool-metadata.ts'`)
    expect(
      mutualImports([core('features/tools/a.ts', `import '../../protocol/types.ts'`), entry]),
    ).toHaveLength(1)
  })

  it('may have imports in only one direction, unless one folder contains the other', () => {
    expect(
      mutualImports([tools, core('features/apps/tool-ui.ts', `import '../registry/checks.ts'`)]),
    ).toEqual([])
    const inside = core('http/guard/guard.ts', `import '../types.ts'; import '../../errors.ts'`)
    const above = core('http/endpoint.ts', `import './guard/guard.ts'`)
    expect(mutualImports([inside, above, core('errors.ts', `import './http/guard/guard.ts'`)])).toEqual([])
  })
})

describe('the maximum file length', () => {
  it('is 400 lines of code', () => {
    expect(shipped.flatMap((source) => lengthWall(source, 400))).toEqual([])
  })

  it('does not count blank lines or comments', () => {
    const text = `// one\n\n/*\n two\n*/\nconst a = '// three' // four\nconst b = 1\n`
    expect(codeLines(sample('a.ts', text))).toBe(2)
    expect(lengthWall(sample('a.ts', 'f()\n'.repeat(401)), 400)).toHaveLength(1)
    expect(lengthWall(sample('a.ts', 'f()\n'.repeat(400)), 400)).toEqual([])
  })
})

describe('a source folder', () => {
  it('has at most 18 files', () => {
    expect(roomSize(shipped, 18)).toEqual([])
  })

  it('may have more files in its subfolders', () => {
    const files = Array.from({ length: 18 }, (_, at) => core(`http/${at}.ts`, ''))
    expect(roomSize([...files, core('http/guard/hosts.ts', '')], 18)).toEqual([])
    expect(roomSize([...files, core('http/one-more.ts', '')], 18)).toHaveLength(1)
  })
})

describe('revision dates', () => {
  it('appear only under protocol/revisions/', () => {
    const packages = shipped.filter(({ path }) => path.startsWith('packages/'))
    expect(packages.flatMap(dateLiterals)).toEqual([])
  })

  it('are detected in strings and templates, but not in comments', () => {
    expect(dateLiterals(core('http/a.ts', `if (v >= '2025-06-18') f()`))).toHaveLength(1)
    expect(dateLiterals(core('http/a.ts', 'f(`x/2026-07-28/${v}`)'))).toHaveLength(1)
    expect(dateLiterals(core('http/a.ts', '// see /specification/2025-06-18/basic'))).toEqual([])
    expect(dateLiterals(core('protocol/revisions/v2025-06-18.ts', `const a = '2025-06-18'`))).toEqual([])
  })
})

describe("code that depends on the protocol's era", () => {
  it('compares eras and versions only under protocol/revisions/', () => {
    expect(shipped.flatMap(eraReads)).toEqual([])
    expect(shipped.flatMap(versionComparisons)).toEqual([])
  })

  it('branches in only one file, and never in a feature', () => {
    expect(eraBranches(shipped)).toEqual(['packages/core/src/session/receiver.ts'])
    expect(shipped.flatMap(eraQuestions)).toEqual([])
  })

  it.each([
    [eraReads, 'http/a.ts', `if (revision.era === 'modern') f()`],
    [eraReads, 'features/a.ts', `const { era } = ctx.revision`],
    [eraReads, 'features/a.ts', `served.filter(({ era }) => era === 'legacy')`],
    [
      eraQuestions,
      'features/a.ts',
      `import { ofEra } from '../protocol/revisions/index.ts'; ofEra('modern', a)`,
    ],
    [versionComparisons, 'session/a.ts', `if (revision.version >= oldest) f()`],
    [versionComparisons, 'session/a.ts', `if (oldest < protocolVersion) f()`],
  ] as const)('may not occur elsewhere (rule %o, file %s): %s', (rule, path, text) => {
    expect(rule(core(path, text))).toHaveLength(1)
    expect(rule(core('protocol/revisions/a.ts', text))).toEqual([])
  })

  it('is counted once per occurrence', () => {
    const twice = core('http/a.ts', 'if (isStateless(m)) f(); else if (isStateless(n)) g()')
    expect(eraBranches([twice])).toHaveLength(2)
    expect(versionComparisons(core('session/a.ts', 'if (a.length > b) f(version)'))).toEqual([])
  })
})

describe('core', () => {
  it('uses only web standards', () => {
    expect(shipped.flatMap(webStandardsOnly)).toEqual([])
  })

  it.each([
    `import { createHash } from 'node:crypto'`,
    `import type { Server } from 'http'`,
    `const a = process.env.A`,
    `const a = globalThis.process`,
    `const a = Buffer.from(b)`,
    `const a = { Buffer }`,
  ])('may not contain %s', (text) => {
    expect(webStandardsOnly(core('session/a.ts', text))).toHaveLength(1)
  })

  it('may use the names of Node.js globals for its own properties', () => {
    expect(
      webStandardsOnly(core('session/a.ts', `a.process({ process: 1 }); interface B { Buffer: 1 }`)),
    ).toEqual([])
  })

  it('imports ajv lazily in one file, and never imports zod', () => {
    expect(schemaLibraries(shipped)).toEqual([])
  })

  it('may import ajv only lazily and in one file, and only types from zod', () => {
    const first = core('schema/validate/ajv.ts', `const { Ajv2020 } = await import('ajv/dist/2020.js')`)
    const early = core('schema/validate/ajv.ts', `import { Ajv2020 } from 'ajv/dist/2020.js'`)
    const second = core('schema/other.ts', `import type { Ajv } from 'ajv'`)
    expect(schemaLibraries([first])).toEqual([])
    expect(schemaLibraries([early])).toHaveLength(1)
    expect(schemaLibraries([first, second])).toHaveLength(1)
    expect(schemaLibraries([core('schema/a.ts', `import { z } from 'zod/v4'`)])).toHaveLength(1)
    expect(schemaLibraries([core('schema/a.ts', `import type { z } from 'zod'`)])).toEqual([])
  })
})

describe('packages', () => {
  it('import each other only through public subpaths', () => {
    expect([...shipped, ...tests].flatMap((source) => publicSubpaths(source, exported))).toEqual([])
  })

  it.each([
    `import { a } from '@jetway/core/src/http/endpoint.ts'`,
    `import { a } from '@jetway/core/secret'`,
    `import { a } from '../../core/src/index.ts'`,
  ])('may not contain %s', (text) => {
    expect(publicSubpaths(sample('packages/hono/src/index.ts', text), exported)).toHaveLength(1)
  })

  it('may import exported files and their own files', () => {
    const text = `import '@jetway/core'; import '@jetway/core/http'; import '../src/index.ts'; import 'hono'`
    expect(publicSubpaths(sample('packages/hono/test/a.test.ts', text), exported)).toEqual([])
  })

  it('publish the same exports that are used in development', () => {
    expect(manifests.filter((manifest) => !manifest.private).flatMap(publishedExports)).toEqual([])
  })

  it('are rejected if their published exports differ from those used in development', () => {
    const exports = { '.': { 'jetway:source': './src/index.ts', default: './dist/index.js' } }
    const published = { '.': { default: './dist/index.js' } }
    expect(publishedExports({ name: 'a', exports, publishConfig: { exports: published } })).toEqual([])
    expect(publishedExports({ name: 'a', exports, publishConfig: { exports } })).toHaveLength(1)
    expect(publishedExports({ name: 'a', exports })).toHaveLength(1)
  })
})

describe('finished code', () => {
  it('contains no TODO comments and no skipped tests', () => {
    expect([...shipped, ...tests].flatMap(unfinished)).toEqual([])
  })

  it.each([
    '// TODO: later',
    '/* FIXME */',
    `it.skip('a', f)`,
    `describe.only('a', f)`,
    `test.concurrent.todo('a')`,
    `it.skipIf(a)('b', f)`,
  ])('may not contain %s', (text) => {
    expect(unfinished(sample('packages/core/test/a.test.ts', text))).toHaveLength(1)
  })
})
