import { broken, type DirectoryRule, met, step } from './rule.ts'

const REQUIREMENTS = {
  source:
    'https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/official-registry-requirements.md',
  read: '2026-11-27',
}
const PUBLISHING = { source: 'https://modelcontextprotocol.io/registry/quickstart', read: '2026-11-27' }

/** What the official registry asks for. `jetway server-json` has its rules. */
export const REGISTRY: readonly DirectoryRule[] = [
  {
    id: 'server-json',
    level: 'fault',
    ...REQUIREMENTS,
    check({ registryProblems: [first, ...others] }) {
      if (first === undefined) return met('The registry accepts the document of jetway server-json')
      const texts = [first, ...others].map(({ rule, text }) => `${rule}: ${text}`)
      return broken(texts.join('\n'), first.advice)
    },
  },
  {
    id: 'repository',
    level: 'warning',
    ...REQUIREMENTS,
    check: ({ packageJson: { repository } }) =>
      repository === undefined
        ? broken(
            'package.json has no repository',
            'Set it, so that users can read the code: npm pkg set repository=…',
          )
        : met(repository.url),
  },
  {
    id: 'namespace',
    level: 'fault',
    ...PUBLISHING,
    check: ({ packageJson: { mcpName } }) => {
      const [, owner] = /^io\.github\.([^/]+)\//.exec(mcpName ?? '') ?? []
      return step(
        owner === undefined
          ? 'Prove that the domain of mcpName is yours: mcp-publisher login dns, or login http'
          : `Log in as ${owner}, or publish from a workflow of ${owner}: mcp-publisher login github`,
      )
    },
  },
  {
    id: 'npm',
    level: 'fault',
    ...PUBLISHING,
    check: ({ packageJson: { name, version, isPrivate } }) =>
      isPrivate
        ? step(
            'Attach the bundle to a release, and pass its address: jetway server-json --bundle FILE --bundle-url URL',
          )
        : step(`Publish ${name}@${version} on npm first, and check it: jetway server-json --published`),
  },
]
