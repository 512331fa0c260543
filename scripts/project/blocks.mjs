/** Writes the blocks in policy files that name people, addresses or the way of publishing. */
const BLOCK = /(<!-- project: ([\w-]+) -->\n)[\s\S]*?(<!-- \/project -->)/g

const link = (contact) => (contact.includes('@') && !contact.startsWith('https:') ? `<${contact}>` : contact)

/** The text of each block. It says so if a fact is still undecided. */
const BLOCKS = {
  security: ({ securityContact, securityDays }) =>
    securityContact === null
      ? 'The private address is not decided yet. Until it is, open an issue that says only that you have a report, and a maintainer will ask for it in private.'
      : [
          `Write to ${link(securityContact)}. Do not open a public issue.`,
          ...(securityDays === null ? [] : [`You get a first answer within ${securityDays} days.`]),
        ].join(' '),
  conduct: ({ conductContact }) =>
    conductContact === null
      ? 'The address for reports is not decided yet. Until it is, write to a maintainer in private.'
      : `Report a breach to ${link(conductContact)}.`,
  maintainers: ({ maintainers }) =>
    maintainers === null ? 'The maintainers are not decided yet.' : `Maintainers: ${maintainers.join(', ')}.`,
  publishing: ({ publishing }) =>
    ({
      staged:
        'Releases are staged: CI uploads the tested tarballs, and a maintainer approves each of them with two factors.',
      direct: 'Releases are published by CI, from an environment that a maintainer approves.',
    })[publishing] ?? 'The way of publishing is not decided yet.',
}

/**
 * @param {string} file @param {string} text @param {Record<string, any>} facts
 * @returns {{ text: string, problems: string[] }}
 */
export function updateBlocks(file, text, facts) {
  const problems = []
  const updated = text.replaceAll(BLOCK, (block, start, name, end) => {
    if (Object.hasOwn(BLOCKS, name)) return `${start}\n${BLOCKS[name](facts)}\n\n${end}`
    problems.push(`${file}: unknown block ${name}; known are ${Object.keys(BLOCKS).join(', ')}`)
    return block
  })
  return { text: updated, problems }
}

/** @param {Record<string, any>} facts */
export const codeOwners = ({ maintainers }) =>
  `# Written by \`npm run project\` from .github/project.json.\n${
    maintainers === null ? '# The maintainers are not decided yet.' : `* ${maintainers.join(' ')}`
  }\n`

/**
 * Returns the issue form configuration that keeps vulnerability reports out of public issues, for
 * `.github/ISSUE_TEMPLATE/config.yml`.
 */
export function issueConfig({ repository }) {
  const lines = ['# Written by `npm run project` from .github/project.json.', 'blank_issues_enabled: false']
  if (repository !== null)
    lines.push(
      'contact_links:',
      '  - name: A vulnerability',
      `    url: ${repository}/security/policy`,
      '    about: Report it in private.',
    )
  return `${lines.join('\n')}\n`
}
