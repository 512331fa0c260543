import { isObject } from '@jetway/core/protocol'
import { link, readmePrivacy } from './link-rules.ts'
import { broken, type DirectoryRule, met, skip, step } from './rule.ts'
import {
  contradictsName,
  forTools,
  hasNoTitle,
  HINT_CONTRADICTION,
  hintOf,
  isReadOnlyAndDestructive,
  NAME_CONTRADICTION,
} from './tool-rules.ts'

/** The guides for a server that Claude reaches over HTTP, and for one that users install as a bundle. */
const REMOTE = {
  source: 'https://support.claude.com/en/articles/12922490-remote-mcp-server-submission-guide',
  read: '2026-11-27',
}
const LOCAL = {
  source: 'https://support.claude.com/en/articles/12922832-local-mcp-server-submission-guide',
  read: '2026-11-27',
}
const ICON_PIXELS = 512
const EXAMPLES = 3

/** The requirements of Anthropic's directory. */
export const CLAUDE: readonly DirectoryRule[] = [
  {
    id: 'tool-hints',
    level: 'fault',
    ...LOCAL,
    check: (facts) =>
      forTools(
        facts,
        (tool) => hintOf(tool, 'readOnlyHint') === undefined && hintOf(tool, 'destructiveHint') === undefined,
        {
          met: 'Each tool has readOnlyHint or destructiveHint',
          broken: 'neither readOnlyHint nor destructiveHint is set',
          advice:
            'Set readOnlyHint: true for a tool that only reads, and destructiveHint: true for one that changes something',
        },
      ),
  },
  {
    id: 'tool-titles',
    level: 'fault',
    ...REMOTE,
    check: (facts) =>
      forTools(facts, hasNoTitle, {
        met: 'Each tool has a title',
        broken: 'there is no title',
        advice: 'Set title to a name for people',
      }),
  },
  {
    id: 'tool-contradictions',
    level: 'fault',
    ...LOCAL,
    check: (facts) => forTools(facts, isReadOnlyAndDestructive, HINT_CONTRADICTION),
  },
  {
    id: 'tool-name-contradictions',
    level: 'warning',
    ...LOCAL,
    check: (facts) => forTools(facts, contradictsName, NAME_CONTRADICTION),
  },
  {
    id: 'privacy-readme',
    level: 'fault',
    ...LOCAL,
    check: (facts) => (facts.isInstalled ? readmePrivacy(facts) : skip('For servers that users install')),
  },
  {
    id: 'privacy-policy',
    level: 'fault',
    ...LOCAL,
    check: ({ jetwayJson }) => link(jetwayJson.privacyPolicy, 'privacyPolicy', 'the privacy policy'),
  },
  {
    id: 'privacy-manifest',
    level: 'fault',
    ...LOCAL,
    check({ manifest, isInstalled }) {
      if (!isInstalled) return skip('For servers that users install')
      if (manifest === undefined) return step('Check the bundle that you submit: add --bundle FILE')
      const policies = manifest['privacy_policies']
      return Array.isArray(policies) && policies.length > 0
        ? met(String(policies[0]))
        : broken(
            'The manifest of the bundle has no privacy_policies',
            'Set "privacyPolicy" in jetway.json, and run jetway bundle',
          )
    },
  },
  {
    id: 'support',
    level: 'fault',
    ...LOCAL,
    check: ({ jetwayJson }) => link(jetwayJson.support, 'support', 'your support'),
  },
  {
    id: 'documentation',
    level: 'fault',
    ...REMOTE,
    check: ({ jetwayJson }) => link(jetwayJson.documentation, 'documentation', 'the documentation'),
  },
  {
    id: 'description',
    level: 'fault',
    ...LOCAL,
    check: ({ packageJson: { description } }) =>
      description === undefined
        ? broken('package.json has no description', 'Say in one sentence what the server does')
        : met(description),
  },
  {
    id: 'examples',
    level: 'fault',
    ...LOCAL,
    check({ readme }) {
      const count = examplesIn(readme ?? '')
      return count >= EXAMPLES
        ? met(`README.md has ${count}`)
        : broken(
            `README.md has ${count} examples below a heading "Examples" or "Usage"`,
            `Describe at least ${EXAMPLES} prompts, each with what the server does`,
          )
    },
  },
  {
    id: 'icon',
    level: 'warning',
    ...LOCAL,
    check({ icon }) {
      if (icon === undefined)
        return broken(
          'There is no icon',
          `Set "icon" in jetway.json to a PNG of ${ICON_PIXELS} by ${ICON_PIXELS} pixels`,
        )
      const { width, height } = icon.size ?? { width: 0, height: 0 }
      return width === ICON_PIXELS && height === ICON_PIXELS
        ? met(icon.path)
        : broken(
            icon.size === undefined
              ? `${icon.path} is no PNG`
              : `${icon.path} has ${width} by ${height} pixels`,
            `Use a PNG of ${ICON_PIXELS} by ${ICON_PIXELS} pixels`,
          )
    },
  },
  {
    id: 'platforms',
    level: 'fault',
    ...LOCAL,
    check({ manifest, isInstalled }) {
      if (!isInstalled) return skip('For servers that users install')
      const compatibility = isObject(manifest?.['compatibility']) ? manifest['compatibility'] : {}
      const { platforms } = compatibility
      if (Array.isArray(platforms) && !(platforms.includes('darwin') && platforms.includes('win32')))
        return broken(
          `The bundle runs on ${platforms.join(', ')} only`,
          'Leave out packages with native code, or make a bundle on macOS and one on Windows',
        )
      return step('Install the bundle in Claude Desktop on macOS and on Windows, and call each tool')
    },
  },
  {
    id: 'authorization',
    level: 'fault',
    ...REMOTE,
    check: ({ url }) =>
      url === undefined
        ? skip('For servers over HTTP')
        : step(`If the server needs a login, it must be OAuth. Check it: jetway doctor ${url}`),
  },
  {
    id: 'test-account',
    level: 'fault',
    ...REMOTE,
    check: () =>
      step(
        'If the server needs a login, give the reviewers a test account with data in the form. Write it into no file',
      ),
  },
]

/** Counts the list entries or numbered headings below a heading about examples. */
function examplesIn(readme: string): number {
  const [, section = ''] =
    /^#{1,3} [^\n]*\b(?:examples?|usage)\b[^\n]*\n([\s\S]*?)(?=^#{1,2} |$(?![\s\S]))/im.exec(readme) ?? []
  return [...section.matchAll(/^(?:[-*] |\d+\. |#{3,6} )/gm)].length
}
