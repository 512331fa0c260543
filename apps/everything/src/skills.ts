import { skills, type SkillsExtension } from '@jetway/skills'

/**
 * Skills of each kind: with files, stored under a path, and generated on each read. Each page of the list
 * contains two skills.
 */
export const createSkills = (): SkillsExtension =>
  skills({
    directoryRead: true,
    pageSize: 2,
    skills: [
      {
        name: 'code-review',
        description: 'How changes are reviewed here. Use it before you say what you think of a change.',
        frontmatter: { license: 'Apache-2.0', metadata: { version: '1.2.0' } },
        instructions: '# Reviewing\n\nWork through `references/CHECKLIST.md`.\n',
        files: {
          'references/CHECKLIST.md': '- Is it tested?\n- Can it fail?\n',
          'assets/pixel.bin': new Uint8Array([0, 255, 127]),
        },
      },
      {
        name: 'refunds',
        path: 'everything/billing/refunds',
        description: 'When money is given back, and how.',
        instructions: '# Refunds\n\nAsk before you give any.\n',
      },
      {
        name: 'daily-report',
        description: "Puts today's report together.",
        instructions: () => `# Report\n\nIt is ${new Date().toISOString()}.\n`,
      },
    ],
  })
