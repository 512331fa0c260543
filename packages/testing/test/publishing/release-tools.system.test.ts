import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DECIDED, load, root, temporaryFolder } from './support.ts'

interface Actions {
  readonly tagsOf: (listed: string) => ReadonlyMap<string, string>
  readonly compareTags: (
    known: { readonly version: string; readonly digest: string },
    tags: ReadonlyMap<string, string>,
  ) => { readonly problem?: string; readonly newer?: string }
  readonly withActions: (text: string, actions: object) => string
}

interface Sbom {
  readonly sbomOf: (folder: string, name: string, version: string) => string
  readonly ofPackage: (
    sbom: object,
    name: string,
    version: string,
  ) => {
    readonly metadata: { readonly component: object }
    readonly components: readonly { readonly 'bom-ref': string }[]
    readonly dependencies: readonly object[]
  }
}

const { tagsOf, compareTags, withActions } = await load<Actions>('scripts/release/actions.mjs')
const { oldFacts } = await load<{
  readonly oldFacts: (text: string, now: number) => { readonly line: number; readonly days: number }[]
}>('scripts/release/ages.mjs')
const { firstSteps } = await load<{
  readonly firstSteps: (names: readonly string[], facts: object, labels: readonly object[]) => string
}>('scripts/release/first.mjs')
const { ofPackage, sbomOf } = await load<Sbom>('scripts/packages/sbom.mjs')

describe('tagsOf', () => {
  /** Creates a repository with lightweight tags and an annotated tag. */
  function repository(): { readonly folder: string; readonly commit: string } {
    const folder = temporaryFolder()
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
      }).trim()
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '--message', 'First')
    git('tag', 'v1.0.0')
    git('tag', 'v1')
    git('tag', '--annotate', 'v1.10.0', '--message', 'Second')
    return { folder, commit: git('rev-parse', 'HEAD') }
  }

  it('reads the commits of lightweight and annotated tags', () => {
    const { folder, commit } = repository()
    const tags = tagsOf(execFileSync('git', ['ls-remote', '--tags', folder], { encoding: 'utf8' }))
    expect([...tags]).toEqual([
      ['v1.0.0', commit],
      ['v1.10.0', commit],
    ])
  })
})

describe('compareTags', () => {
  const [old, moved] = ['a'.repeat(40), 'b'.repeat(40)]
  const tags = new Map([
    ['v1.9.0', old],
    ['v1.10.0', moved],
  ])

  it('finds a newer version by numeric comparison', () => {
    expect(compareTags({ version: 'v1.9.0', digest: old }, tags)).toEqual({ newer: 'v1.10.0' })
    expect(compareTags({ version: 'v1.10.0', digest: moved }, tags)).toEqual({})
  })

  it('reports a tag that has moved or does not exist', () => {
    expect(compareTags({ version: 'v1.9.0', digest: moved }, tags).problem).toContain(`v1.9.0 is ${old} now`)
    expect(compareTags({ version: 'v2.0.0', digest: old }, tags).problem).toBe('v2.0.0 does not exist')
  })
})

describe('withActions', () => {
  it('replaces the digest and the comment of the listed actions', () => {
    const text = `- uses: actions/checkout@${'a'.repeat(40)} # v1.0.0\n- uses: other/one@${'a'.repeat(40)} # v1.0.0\n`
    expect(withActions(text, { 'actions/checkout': { version: 'v2.0.0', digest: 'b'.repeat(40) } })).toBe(
      `- uses: actions/checkout@${'b'.repeat(40)} # v2.0.0\n- uses: other/one@${'a'.repeat(40)} # v1.0.0\n`,
    )
  })
})

describe('oldFacts', () => {
  it('lists facts that were last checked more than 90 days ago, with their line numbers', () => {
    const text = `{\n  "read": "2026-01-01",\n}\nconst rule = { read: '2026-03-01' }\n`
    expect(oldFacts(text, Date.parse('2026-04-02'))).toEqual([{ line: 2, read: '2026-01-01', days: 91 }])
    expect(oldFacts(text, Date.parse('2026-04-01'))).toEqual([])
  })
})

describe('scripts/release/version.mjs', () => {
  it('prints the commands with --dry-run, and creates the pull request last', () => {
    const script = fileURLToPath(new URL('scripts/release/version.mjs', root))
    const { status, stdout } = spawnSync(process.execPath, [script, '--dry-run'], { encoding: 'utf8' })
    const commands = stdout.trim().split('\n')
    expect(status).toBe(0)
    expect(commands[0]).toMatch(/changeset version$/)
    expect(commands.findIndex((line) => line.includes('project.mjs --write'))).toBe(1)
    expect(commands.at(-1)).toMatch(/^gh pr create --title Version <version>/)
  })
})

describe('firstSteps', () => {
  const labels = [{ name: "won't fix", color: 'ffffff', description: 'No' }]

  it('prints one command per package, which trusts the release workflow only for staging', () => {
    const text = firstSteps(['@jetway/core', 'jetway'], DECIDED, labels)
    expect(text).toContain(
      'npm trust github @jetway/core --repo acme/jetway --file release.yml --env npm --allow-stage-publish',
    )
    expect(text.indexOf('node release/upload.mjs')).toBeLessThan(text.indexOf('npm trust'))
    expect(text).toContain('#    jetway-cli')
    expect(text).not.toContain('--allow-publish')
  })

  it('quotes label names for the shell', () => {
    expect(firstSteps([], DECIDED, labels)).toContain(
      String.raw`gh label create 'won'\''t fix' --repo acme/jetway`,
    )
  })

  it('allows direct publishing if chosen, and prints placeholders for an undecided repository', () => {
    const text = firstSteps(['jetway'], { ...DECIDED, publishing: 'direct', repository: null }, [])
    expect(text).toContain('--repo <owner>/<name> --file release.yml --env npm --allow-publish --yes')
  })
})

describe('sbomOf', () => {
  it('describes a project that has installed its packages from tarballs', () => {
    const folder = temporaryFolder()
    const write = (path: string, manifest: object): void => {
      mkdirSync(join(folder, path), { recursive: true })
      writeFileSync(join(folder, path, 'package.json'), JSON.stringify(manifest))
    }
    write('.', { name: 'project', private: true, dependencies: { '@jetway/a': 'file:/nowhere/a-1.0.0.tgz' } })
    write('node_modules/@jetway/a', { name: '@jetway/a', version: '1.0.0', dependencies: { b: '^2.0.0' } })
    write('node_modules/b', { name: 'b', version: '2.1.0', license: 'MIT' })
    const list = JSON.parse(sbomOf(folder, '@jetway/a', '1.0.0')) as ReturnType<Sbom['ofPackage']>
    expect(list.metadata.component).toMatchObject({ purl: 'pkg:npm/%40jetway/a@1.0.0', type: 'library' })
    expect(list.components).toMatchObject([{ purl: 'pkg:npm/b@2.1.0' }])
  })
})

describe('ofPackage', () => {
  const component = (ref: string, url = 'https://registry.npmjs.org/a.tgz'): object => ({
    'bom-ref': ref,
    properties: [{ name: 'cdx:npm:package:path', value: 'node_modules/a' }],
    externalReferences: [{ type: 'distribution', url }],
  })
  const sbom = {
    bomFormat: 'CycloneDX',
    metadata: { component: { 'bom-ref': 'project@' } },
    components: [
      component('@jetway/stdio@0.1.0', 'file:/tmp/a.tgz'),
      component('@jetway/core@0.1.0'),
      component('fastify@5.0.0'),
    ],
    dependencies: [
      { ref: 'project@', dependsOn: ['@jetway/stdio@0.1.0', 'fastify@5.0.0'] },
      { ref: '@jetway/stdio@0.1.0', dependsOn: ['@jetway/core@0.1.0'] },
      { ref: '@jetway/core@0.1.0', dependsOn: [] },
      { ref: 'fastify@5.0.0', dependsOn: [] },
    ],
  }

  it("lists the package's dependencies, but not the project that has installed it", () => {
    const { metadata, components, dependencies } = ofPackage(sbom, '@jetway/stdio', '0.1.0')
    expect(metadata.component).toEqual({ 'bom-ref': '@jetway/stdio@0.1.0', properties: [] })
    expect(components.map((entry) => entry['bom-ref'])).toEqual(['@jetway/core@0.1.0'])
    expect(dependencies).toHaveLength(2)
    expect(JSON.stringify({ metadata, components })).not.toMatch(/file:|node_modules/)
  })

  it('fails if the package is missing from the list', () => {
    expect(() => ofPackage(sbom, '@jetway/stdio', '0.2.0')).toThrow('lists no @jetway/stdio@0.2.0')
  })
})
