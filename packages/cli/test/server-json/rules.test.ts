import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SERVER_SCHEMA_SOURCE, serverSchema } from '../../src/schema-files.ts'
import { NPM_REGISTRY, PUBLISHER_META, type ServerJson } from '../../src/server-json/document.ts'
import { problemsOf } from '../../src/server-json/rules.ts'

const npm = {
  registryType: 'npm',
  registryBaseUrl: NPM_REGISTRY,
  identifier: 'shop',
  version: '1.2.3',
  transport: { type: 'stdio' },
} as const
const bundle = {
  registryType: 'mcpb',
  identifier: 'https://github.com/ann/shop/releases/download/v1/shop.mcpb',
  fileSha256: 'a'.repeat(64),
  transport: { type: 'stdio' },
} as const

const valid: ServerJson = {
  $schema: SERVER_SCHEMA_SOURCE.address,
  name: 'io.github.ann/shop',
  description: 'Sells things',
  version: '1.2.3',
  packages: [npm, bundle],
}
const remote = (url: string, more: object = {}): Partial<ServerJson> => ({
  remotes: [{ type: 'streamable-http', url, ...more }],
})

describe('the vendored schema', () => {
  it('matches the recorded digest and URL', () => {
    const bytes = readFileSync(new URL('../../schemas/server.schema.json', import.meta.url))
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(SERVER_SCHEMA_SOURCE.sha256)
    expect(serverSchema()).toMatchObject({ $id: SERVER_SCHEMA_SOURCE.address })
  })
})

describe('problemsOf', () => {
  it('returns no problems for a valid document', () => {
    expect(problemsOf(valid)).toEqual([])
    expect(
      problemsOf({ ...valid, ...remote('https://{tenant}.a.example/mcp', { variables: { tenant: {} } }) }),
    ).toEqual([])
  })

  it.each<[rule: string, text: string, change: Partial<ServerJson> | object]>([
    ['name', 'There is no name', { name: undefined }],
    ['name', 'shop is not in reverse-DNS form', { name: 'shop' }],
    ['name', 'a./shop', { name: 'a./shop' }],
    ['description', 'There is no description', { description: undefined }],
    ['description', '101 characters', { description: 'x'.repeat(101) }],
    ['version', 'latest', { version: 'latest' }],
    ['version', '^1.2.3', { packages: [{ ...npm, version: '^1.2.3' }] }],
    ['version', '1.x', { version: '1.x' }],
    ['version', '>=1 <2', { version: '>=1 <2' }],
    ['something-to-install', 'neither', { packages: undefined }],
    ['npm-registry', "npm's own", { packages: [{ ...npm, registryBaseUrl: 'https://npm.a.example' }] }],
    ['bundle', 'no SHA-256', { packages: [{ ...bundle, fileSha256: undefined }] }],
    [
      'bundle',
      'not a file of a release',
      { packages: [{ ...bundle, identifier: 'https://a.example/shop.mcpb' }] },
    ],
    [
      'bundle',
      'does not contain mcp',
      { packages: [{ ...bundle, identifier: bundle.identifier.replace('mcpb', 'zip') }] },
    ],
    ['repository', 'not on GitHub', { repository: { url: 'https://a.example/shop', source: 'a' } }],
    ['https', 'not https', { websiteUrl: 'http://a.example' }],
    ['https', 'not https', { icons: [{ src: 'data:image/png;base64,' }] }],
    ['remote-url', 'not https', remote('http://a.example/mcp')],
    ['remote-url', 'is not a URL', remote('https://')],
    ['remote-url', 'private', remote('https://localhost/mcp')],
    ['remote-url', 'private', remote('https://10.0.0.1/mcp')],
    ['remote-url', 'private', remote('https://[::1]/mcp')],
    ['remote-url', 'private', remote('https://shop.internal/mcp')],
    ['remote-url', 'private', remote('https://2130706433/mcp')],
    [
      'duplicate-remotes',
      'twice',
      {
        remotes: [
          ...(remote('https://a.example').remotes ?? []),
          ...(remote('https://a.example').remotes ?? []),
        ],
      },
    ],
    ['variables', '{tenant}', remote('https://{tenant}.a.example/mcp')],
    [
      'variables',
      '{key}',
      remote('https://a.example', { headers: [{ name: 'X-Key', value: 'Bearer {key}' }] }),
    ],
    ['meta', 'drops other', { _meta: { other: {} } }],
    ['meta', '4096', { _meta: { [PUBLISHER_META]: { text: 'x'.repeat(4_096) } } }],
    ['schema', 'title', { title: 'x'.repeat(101) }],
  ])('reports a violation of the rule %s: %s', (rule, text, change) => {
    const problems = problemsOf({ ...valid, ...change })
    expect(problems.map((problem) => problem.rule)).toEqual([rule])
    expect(problems[0]?.text).toContain(text)
  })

  it('does not mistake exact versions for ranges', () => {
    for (const version of ['1.2.3', '1.0.0-rc.1', '2026.11.27', '1.2.3-next.x1'])
      expect(problemsOf({ ...valid, version, packages: [{ ...npm, version }] })).toEqual([])
  })
})
