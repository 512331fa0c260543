import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { copyRepository, DECIDED, decide, load, project, root, textsIn } from './support.ts'

interface Facts {
  readonly checkFacts: (facts: Readonly<Record<string, unknown>>) => string[]
}

interface InstallLines {
  readonly installFromNpm: (text: string, dependencies: ReadonlyMap<string, readonly string[]>) => string
  readonly readDependencies: (root: string) => ReadonlyMap<string, readonly string[]>
}

interface Places {
  readonly updatePlaces: (
    text: string,
    places: readonly { readonly file: string; readonly before: string; readonly after: string }[],
    facts: object,
  ) => { readonly text: string; readonly problems: readonly string[] }
}

interface Changelogs {
  readonly joinChangelogs: (changelogs: ReadonlyMap<string, string>) => string
  readonly notesOf: (changelog: string, version: string) => string
}

interface Scope {
  readonly inScope: (text: string, scope: string) => string
}

const { checkFacts } = await load<Facts>('scripts/project/facts.mjs')
const { installFromNpm, readDependencies } = await load<InstallLines>('scripts/project/install-lines.mjs')
const { updatePlaces } = await load<Places>('scripts/project/places.mjs')
const { joinChangelogs, notesOf } = await load<Changelogs>('scripts/project/changelog.mjs')
const { inScope } = await load<Scope>('scripts/project/scope.mjs')

const UNDECIDED = {
  ...Object.fromEntries(Object.keys(DECIDED).map((name) => [name, null])),
  published: false,
}

describe('scripts/project.mjs', () => {
  it('finds that all files match .github/project.json', () => {
    expect(project(fileURLToPath(root))).toEqual({ code: 0, problems: '' })
  })

  it('names a file that differs, and corrects it with --write', () => {
    const folder = copyRepository()
    const owners = join(folder, '.github/CODEOWNERS')
    const right = readFileSync(owners, 'utf8')
    writeFileSync(owners, '* @mallory\n')
    expect(project(folder)).toEqual({
      code: 1,
      problems: '.github/CODEOWNERS differs from .github/project.json: npm run project\n',
    })
    expect(project(folder, '--write')).toEqual({ code: 0, problems: '' })
    expect(readFileSync(owners, 'utf8')).toBe(right)
  })

  it('names a passage that is missing from a document', () => {
    const folder = copyRepository()
    const readme = join(folder, 'README.md')
    writeFileSync(readme, readFileSync(readme, 'utf8').replace('Jetway is not on npm yet', 'Jetway is new'))
    const { code, problems } = project(folder, '--write')
    expect(code).toBe(1)
    expect(problems).toContain('README.md lacks this passage, see scripts/project/places.mjs')
  })

  it("writes the repository's address before anything is published", () => {
    const folder = copyRepository()
    decide(folder, { ...UNDECIDED, repository: 'https://github.com/acme/jetway' })
    expect(project(folder, '--write')).toEqual({ code: 0, problems: '' })
    const clone = 'git clone https://github.com/acme/jetway jetway'
    for (const page of ['README.md', 'docs/guide/install.md'])
      expect(readFileSync(join(folder, page), 'utf8')).toContain(clone)
    decide(folder, { ...UNDECIDED, repository: 'https://github.com/other/name' })
    expect(project(folder, '--write').code).toBe(0)
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(
      'clone https://github.com/other/name jetway',
    )
  })

  it('does not write addresses that are still undecided', () => {
    const folder = copyRepository()
    decide(folder, UNDECIDED)
    expect(project(folder, '--write')).toEqual({ code: 0, problems: '' })
    expect(readFileSync(join(folder, 'SECURITY.md'), 'utf8')).toContain(
      'The private address is not decided yet',
    )
    const manifest = JSON.parse(readFileSync(join(folder, 'packages/core/package.json'), 'utf8')) as object
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['repository']))
  })
})

describe('scripts/project.mjs with `published: true`', () => {
  const documents = (folder: string): [string, string][] =>
    [...textsIn(folder, /(?:\.md|Dockerfile|\.dockerignore)$/)].filter(
      // Only the page for maintainers and the decision records may explain the switch.
      ([path]) => !path.startsWith('docs/design/') && path !== 'docs/releasing.md',
    )

  it('makes all documents refer to npm instead of tarballs', () => {
    const folder = copyRepository()
    const ofTarballs = documents(folder).filter(([, text]) =>
      /tarballs|not on npm|<this repository>/.test(text),
    )
    expect(ofTarballs.length).toBeGreaterThan(5)
    decide(folder, DECIDED)
    expect(project(folder, '--write')).toEqual({ code: 0, problems: '' })
    const left = documents(folder).flatMap(([path, text]) =>
      text
        .split('\n')
        .filter((line) =>
          /tarballs\/|not on npm|not yet|<this repository>|\bvendor\/|[! ]vendor$|not decided/.test(line),
        )
        .map((line) => `${path}: ${line}`),
    )
    expect(left).toEqual([])
    expect(project(folder)).toEqual({ code: 0, problems: '' })
  })

  it('writes commands that install everything the README imports', () => {
    const folder = copyRepository()
    decide(folder, DECIDED)
    project(folder, '--write')
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    expect([...readme.matchAll(/^npm install .*$/gm)].map(([line]) => line)).toEqual([
      'npm install @jetway/core @jetway/fastify @jetway/stdio fastify zod',
      'npm install --save-dev @jetway/cli tsx',
      'npm install @jetway/core @jetway/hono hono @hono/node-server',
    ])
    expect(readFileSync(join(folder, 'docs/index.md'), 'utf8')).toContain('| on npm | yes | yes |')
  })

  it('writes the contacts, the maintainers, the licence and the manifests', () => {
    const folder = copyRepository()
    decide(folder, DECIDED)
    project(folder, '--write')
    const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
    expect(read('SECURITY.md')).toContain('Write to <security@jetway.example>')
    expect(read('SECURITY.md')).toContain('within 7 days')
    expect(read('CONTRIBUTING.md')).toContain('<security@jetway.example>')
    expect(read('.github/CODE_OF_CONDUCT.md')).toContain('<conduct@jetway.example>')
    expect(read('.github/CODEOWNERS')).toContain('* @alice @acme/core\n')
    expect(read('.github/ISSUE_TEMPLATE/config.yml')).toContain(
      'https://github.com/acme/jetway/security/policy',
    )
    expect(read('docs/releasing.md')).toContain('Releases are staged')
    expect(read('LICENSE')).toMatch(/^Copyright \(c\) \d+ Acme$/m)
    expect(JSON.parse(read('packages/core/package.json'))).toMatchObject({
      homepage: 'https://jetway.example',
      bugs: 'https://github.com/acme/jetway/issues',
      author: 'Acme',
      repository: {
        type: 'git',
        url: 'git+https://github.com/acme/jetway.git',
        directory: 'packages/core',
      },
    })
  })

  it.each(Object.keys(DECIDED).filter((name) => name !== 'published'))('requires %s', (name) => {
    expect(checkFacts({ ...DECIDED, [name]: null })).toEqual([
      `.github/project.json: ${name} is null, but published is true; decide it first`,
    ])
  })
})

describe('checkFacts', () => {
  it('accepts both decided and undecided values', () => {
    expect(checkFacts(DECIDED)).toEqual([])
    expect(checkFacts(UNDECIDED)).toEqual([])
  })

  it.each([
    ['an unknown fact', { owners: 'acme' }, 'unknown fact owners'],
    ['a fact that is missing', { docs: undefined }, 'docs is missing'],
    ['a repository that is not at GitHub', { repository: 'https://example.com/a/b' }, 'repository must be'],
    ['an address of git', { repository: 'https://github.com/acme/jetway.git' }, 'repository must be'],
    ['the repository of somebody else', { owner: 'other' }, 'not one of the owner other'],
    ['an address without https', { homepage: 'http://jetway.example' }, 'homepage must be'],
    ['a contact that is none', { securityContact: 'ask us' }, 'securityContact must be'],
    ['days that are none', { securityDays: 0 }, 'securityDays must be'],
    ['a maintainer without a handle', { maintainers: ['Alice'] }, 'maintainers must be'],
    ['an unknown way of publishing', { publishing: 'by hand' }, 'publishing must be "staged" or "direct"'],
    ['a flag that is text', { published: 'yes' }, 'published must be true or false'],
  ])('rejects %s', (_, wrong, problem) => {
    expect(checkFacts({ ...DECIDED, ...wrong }).join('\n')).toContain(problem)
  })
})

describe('installFromNpm', () => {
  const dependencies = readDependencies(fileURLToPath(root))
  const tarballs = (names: string): string => `../jetway/tarballs/jetway-${names}-0.0.0.tgz`

  it.each([
    ['{core,json-schema,stdio}', '@jetway/core @jetway/stdio'],
    ['{core,json-schema,node,fastify}', '@jetway/core @jetway/fastify'],
    ['{core,json-schema,node}', '@jetway/core @jetway/node'],
    ['{core,json-schema}', '@jetway/core'],
    ['json-schema', '@jetway/json-schema'],
    ['{client,core,json-schema,stdio}', '@jetway/client'],
    ['{bridge,client,core,json-schema,stdio}', '@jetway/bridge @jetway/client'],
    ['cli', '@jetway/cli'],
  ])('names only the packages that code imports, not their dependencies: %s', (names, expected) => {
    expect(installFromNpm(`npm install ${tarballs(names)}`, dependencies)).toBe(`npm install ${expected}`)
  })

  it('keeps flags, other packages, and the text around the command', () => {
    const line = `\`npm install --save-dev tsx ${tarballs('cli')}\` |`
    expect(installFromNpm(line, dependencies)).toBe('`npm install --save-dev @jetway/cli tsx` |')
    expect(installFromNpm('npm install zod', dependencies)).toBe('npm install zod')
  })

  it('omits packages that another command on the same line installs', () => {
    const line = `npm install ${tarballs('{core,json-schema,stdio}')} && npm install --save-dev ${tarballs('{client,testing}')} vitest`
    expect(installFromNpm(line, dependencies)).toBe(
      'npm install @jetway/core && npm install --save-dev @jetway/testing vitest',
    )
  })
})

describe('updatePlaces', () => {
  const places = [{ file: 'a.md', before: 'Clone <this repository>. Then go', after: 'Then go' }]
  const facts = { repository: null, published: false }

  it('switches between the texts for before and after publishing', () => {
    const before = 'A. Clone <this repository>. Then go.'
    expect(updatePlaces(before, places, facts).text).toBe(before)
    expect(updatePlaces(before, places, { ...facts, published: true }).text).toBe('A. Then go.')
    expect(updatePlaces('A. Then go.', places, facts).text).toBe(before)
  })

  it('names a document that contains neither text', () => {
    expect(updatePlaces('Something else', places, facts).problems).toHaveLength(1)
  })
})

describe('joinChangelogs', () => {
  const core = `# @jetway/core

## 0.2.0

### Minor Changes

- 1a2b3c4: Tools have icons.

  They are data URLs.

## 0.1.0

### Minor Changes

- 0a0a0a0: The first version.
`
  const stdio = `# @jetway/stdio

## 0.2.0

### Minor Changes

- 1a2b3c4: Tools have icons.

  They are data URLs.

### Patch Changes

- Updated dependencies [1a2b3c4]
  - @jetway/core@0.2.0
`
  const joined = joinChangelogs(
    new Map([
      ['core', core],
      ['stdio', stdio],
    ]),
  )

  it('lists each change once, with its packages, newest version first', () => {
    expect(joined).toBe(`# Changelog

## 0.2.0

### Minor Changes

- **core, stdio**: Tools have icons.

  They are data URLs.

## 0.1.0

### Minor Changes

- **core**: The first version.
`)
  })

  it('sorts versions by number, and pre-releases before their release', () => {
    const versions = ['0.9.0', '1.0.0-beta.2', '0.10.0', '1.0.0', '1.0.0-beta.10']
    const text = versions
      .map((version) => `## ${version}\n\n### Patch Changes\n\n- Fixes ${version}.\n`)
      .join('\n')
    const order = [...joinChangelogs(new Map([['core', text]])).matchAll(/^## (.*)$/gm)].map(
      ([, found]) => found,
    )
    expect(order).toEqual(['1.0.0', '1.0.0-beta.10', '1.0.0-beta.2', '0.10.0', '0.9.0'])
  })

  it('produces a changelog from which `notesOf` returns the notes for one version', () => {
    expect(notesOf(joined, '0.1.0')).toBe('### Minor Changes\n\n- **core**: The first version.\n')
    expect(() => notesOf(joined, '0.3.0')).toThrow('CHANGELOG.md has no version 0.3.0')
  })

  it('says that nothing has been released if there are no changelogs', () => {
    expect(joinChangelogs(new Map())).toContain('Nothing is released yet')
  })
})

describe('inScope', () => {
  it.each([
    ["import { McpServer } from '@jetway/core'", "import { McpServer } from '@other/core'"],
    ['"fixed": [["@jetway/*", "jetway"]]', '"fixed": [["@other/*", "jetway"]]'],
    ['../jetway/tarballs/jetway-cli-0.0.0.tgz', '../jetway/tarballs/other-cli-0.0.0.tgz'],
    ['const SCOPE = /^@jetway\\//', 'const SCOPE = /^@other\\//'],
    ['the scope `@jetway`', 'the scope `@other`'],
    ["'@jetway-apps/test-support' and 'jetway:source'", "'@jetway-apps/test-support' and 'jetway:source'"],
  ])('renames only packages: %s', (text, renamed) => {
    expect(inScope(text, '@other')).toBe(renamed)
  })
})
