import { parseArgs } from 'node:util'
import { CreateError } from './errors.ts'
import { type PackageManager, packageManagerNamed } from './package-manager.ts'
import { type TemplateName, templateNamed } from './template-names.ts'

/** The parsed command line. */
export interface Request {
  readonly folder: string | undefined
  readonly template: TemplateName | undefined
  readonly packageManager: PackageManager | undefined
  readonly install: boolean
  readonly git: boolean
  /** Whether to use defaults instead of questions. */
  readonly yes: boolean
  readonly help: boolean
  readonly version: boolean
}

const OPTIONS = {
  template: { type: 'string', short: 't' },
  pm: { type: 'string' },
  'no-install': { type: 'boolean' },
  'no-git': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** npm passes the options that it has consumed itself in these variables. */
const TAKEN_BY_NPM = ['template', 'pm', 'no_git', 'git'].map((name) => `npm_config_${name}`)

/** @throws CreateError if the command line is invalid */
export function parseArguments(argv: readonly string[], env: NodeJS.ProcessEnv): Request {
  if (TAKEN_BY_NPM.some((name) => env[name] !== undefined))
    throw new CreateError(
      'npm has taken the options for itself',
      'Write them after --: npm create jetway@latest my-server -- --template fastify',
    )
  const { values, positionals } = parse(argv)
  const [folder, extra] = positionals
  if (extra !== undefined)
    throw new CreateError(`Unexpected argument ${extra}`, 'Name one folder: create-jetway --help shows how')
  return {
    folder,
    template: values.template === undefined ? undefined : templateNamed(values.template),
    packageManager: values.pm === undefined ? undefined : packageManagerNamed(values.pm),
    install: values['no-install'] !== true,
    git: values['no-git'] !== true,
    yes: values.yes === true,
    help: values.help === true,
    version: values.version === true,
  }
}

function parse(argv: readonly string[]) {
  try {
    // pnpm and Yarn pass on the `--` that only npm requires.
    const args = argv.filter((word) => word !== '--')
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const [problem = ''] = (error as Error).message.split('. ')
    throw new CreateError(problem, 'create-jetway --help lists the options', { cause: error })
  }
}
