import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ownVersion } from '../src/manifest.ts'
import { type ProjectFacts, projectFiles } from '../src/project-files.ts'
import { TEMPLATE_NAMES } from '../src/template-names.ts'

const FACTS: ProjectFacts = {
  name: 'my-server',
  title: 'My server',
  mcpName: 'io.github.your-name/my-server',
  author: 'Ada $& "Lovelace"',
}

const EVERY = [
  '.github/workflows/ci.yml',
  '.github/workflows/release.yml',
  '.gitignore',
  'AGENTS.md',
  'LICENSE',
  'README.md',
  'jetway.json',
  'package.json',
  'src/main.ts',
  'src/server.ts',
  'test/server.test.ts',
  'tsconfig.json',
]

interface Created {
  readonly name: string
  readonly type: string
  readonly mcpName: string
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const source = (template: string, path: string): string =>
  readFileSync(fileURLToPath(new URL(`../templates/${template}/${path}`, import.meta.url)), 'utf8')

describe.each(TEMPLATE_NAMES)('the %s template', (template) => {
  const files = projectFiles(template, FACTS)
  const manifest = JSON.parse(files.get('package.json') ?? '') as Created

  it('contains the files that every project needs', () => {
    expect([...files.keys()]).toEqual(expect.arrayContaining(EVERY))
    expect([...files.keys()].filter((path) => path.startsWith('_'))).toEqual([])
  })

  it('leaves no placeholders in the created files', () => {
    const left = [...files].flatMap(([path, text]) =>
      [...text.matchAll(/__[A-Z_]+__/g)].map(([word]) => `${path}: ${word}`),
    )
    expect(left).toEqual([])
    expect(files.get('LICENSE')).toContain('Copyright (c) Ada $& "Lovelace"\n')
  })

  it("defines the project's names and the scripts dev, build, typecheck and test", () => {
    expect(Object.keys(manifest.scripts)).toEqual(
      expect.arrayContaining(['dev', 'build', 'typecheck', 'test']),
    )
    expect(manifest).toMatchObject({
      name: 'my-server',
      type: 'module',
      mcpName: FACTS.mcpName,
      author: FACTS.author,
    })
    expect(manifest.bin).toEqual(template === 'workers' ? undefined : { 'my-server': 'dist/main.js' })
  })

  it("has a version range for each dependency, and the current version of Jetway's packages", () => {
    const ranges = { ...manifest.dependencies, ...manifest.devDependencies }
    for (const [name, range] of Object.entries(ranges))
      expect(range, name).toMatch(name.startsWith('@jetway/') ? `^${ownVersion}` : /^[~^]\d/)
  })

  it('has a dependency for every package that its code imports', () => {
    const imported = [...files]
      .filter(([path]) => path.endsWith('.ts'))
      .flatMap(([, text]) => [...text.matchAll(/from '([^'.][^']*)'/g)].map(([, name = '']) => name))
      .filter((name) => !name.startsWith('node:'))
      .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
    const installed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(installed).toEqual(expect.arrayContaining(imported))
  })

  it('gives every tool a title and three hints', () => {
    const tools = (files.get('src/server.ts') ?? '').split('server.addTool(').slice(1)
    expect(tools).not.toEqual([])
    for (const tool of tools) {
      expect(tool).toMatch(/^\s+title: '.+',$/m)
      expect(tool).toMatch(/annotations: \{ readOnly: \w+, destructive: \w+, openWorld: \w+ \}/)
    }
  })

  it('creates the same files from the same input', () => {
    expect(projectFiles(template, FACTS)).toEqual(files)
  })
})

describe('the HTTP templates', () => {
  it.each(['hono', 'express', 'node'])('have the same server and test files: %s', (template) => {
    for (const path of ['src/server.ts', 'test/server.test.ts'])
      expect(source(template, path), path).toBe(source('fastify', path))
  })

  it('use the same src/main.ts in the app and fastify templates', () => {
    expect(source('app', 'src/main.ts')).toBe(source('fastify', 'src/main.ts'))
  })
})

describe('the template folders', () => {
  it.each(TEMPLATE_NAMES)('are ES module packages: %s', (template) => {
    expect(JSON.parse(source(template, 'package.json'))).toMatchObject({ type: 'module' })
    expect(existsSync(fileURLToPath(new URL(`../templates/${template}/.gitignore`, import.meta.url)))).toBe(
      false,
    )
  })
})
