import { McpServer } from '@jetway/core'
import { skills } from '@jetway/skills'

// #region data
const library = skills({
  skills: [
    {
      name: 'refunds',
      path: 'acme/billing/refunds',
      description: 'When customers get their money back, and how. Use it before promising any.',
      frontmatter: { license: 'Apache-2.0' },
      instructions: '# Refunds\n\nWrite the mail from `templates/mail.md`.\n',
      files: { 'templates/mail.md': 'Dear customer, …\n' },
    },
  ],
})

export const server = new McpServer({ name: 'acme', version: '1.0.0' }, { extensions: [library] })
// #endregion

// #region dynamic
export const reports = skills({
  skills: [
    {
      name: 'daily-report',
      description: "Puts together today's report",
      instructions: (ctx) => `# Report for ${ctx.auth?.principal ?? 'everyone'}\n`,
    },
  ],
})
// #endregion
