import { TEMPLATE_NAMES, TEMPLATES } from './template-names.ts'

const templates = TEMPLATE_NAMES.map((name) => `  ${name.padEnd(9)} ${TEMPLATES[name].summary}`).join('\n')

export const HELP: string = `npm create jetway@latest [folder] -- [options]

Starts the project of an MCP server in a new or empty folder.

Options
  --template NAME, -t  the template, by default stdio
  --pm NAME            npm, pnpm, yarn or bun; by default the one that runs this command
  --no-install         install no dependencies
  --no-git             make no repository
  --yes, -y            ask nothing
  --help, -h           print this text
  --version, -v        print the version

Templates
${templates}

npm needs the -- before the options. Others pass them on without it:
  pnpm create jetway my-server --template fastify
`
