import { relative, resolve } from 'node:path'
import { type Request, parseArguments } from './arguments.ts'
import { CreateError } from './errors.ts'
import { committerName, initRepository } from './git.ts'
import { HELP } from './help.ts'
import { ownVersion } from './manifest.ts'
import { namesFor } from './names.ts'
import { install, type PackageManager, runningPackageManager } from './package-manager.ts'
import { checkTarget, placeProject } from './place-project.ts'
import { projectFiles } from './project-files.ts'
import { choose } from './questions.ts'
import type { Streams } from './streams.ts'

/** The environment in which the command runs. */
export interface Surroundings {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly streams: Streams
  /** Aborted when the user interrupts the command. */
  readonly interrupt: AbortController
}

/** The exit code of a process that was ended by SIGINT. */
const INTERRUPTED = 130

/** Runs a command line. Prints errors, and resolves to the exit code. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { streams, env, interrupt } = surroundings
  try {
    const request = parseArguments(argv, env)
    if (request.help || request.version) {
      streams.stdout.write(request.help ? HELP : `${ownVersion}\n`)
      return 0
    }
    await create(request, surroundings)
    return 0
  } catch (error) {
    if (interrupt.signal.aborted) {
      streams.stderr.write('\nInterrupted. Nothing was left behind\n')
      return INTERRUPTED
    }
    const { message } = error as Error
    streams.stderr.write(`${message}\n${error instanceof CreateError ? `${error.advice}\n` : ''}`)
    return error instanceof CreateError ? error.exitCode : 1
  }
}

async function create(request: Request, { cwd, env, streams, interrupt }: Surroundings): Promise<void> {
  const choice = await choose(request, streams, interrupt)
  const target = resolve(cwd, choice.folder)
  const names = namesFor(target)
  checkTarget(target)
  const author = (await committerName(cwd)) ?? `the authors of ${names.name}`
  const files = projectFiles(choice.template, { ...names, author })
  const prepare = (folder: string): Promise<void> =>
    request.git ? initRepository(folder) : Promise.resolve()
  const undo = await placeProject(target, files, prepare, interrupt.signal)
  const path = relative(cwd, target)
  streams.stdout.write(`Created ${path === '' ? 'the project' : path} from the template ${choice.template}\n`)
  const packageManager = request.packageManager ?? runningPackageManager(env)
  if (request.install) await installOrUndo(packageManager, target, env, { undo, signal: interrupt.signal })
  streams.stdout.write(nextSteps(path, packageManager, request.install))
}

async function installOrUndo(
  packageManager: PackageManager,
  folder: string,
  env: NodeJS.ProcessEnv,
  { undo, signal }: { readonly undo: () => void; readonly signal: AbortSignal },
): Promise<void> {
  let installed: boolean
  try {
    installed = await install(packageManager, folder, env, signal)
  } catch (error) {
    undo()
    throw error
  }
  if (!installed)
    throw new CreateError(
      `${packageManager} install failed`,
      'The project is complete, but its dependencies are not installed. Install them in its folder',
      { exitCode: 1 },
    )
}

function nextSteps(path: string, packageManager: PackageManager, installed: boolean): string {
  const commands = [
    ...(path === '' ? [] : [`cd ${/^[\w./\\-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(installed ? [] : [`${packageManager} install`]),
    `${packageManager} run dev`,
    // `bun test` would start Bun's own test runner.
    `${packageManager} run test`,
  ]
  const lines = commands.map((command) => `  ${command}\n`).join('')
  return `\nNext:\n${lines}\nREADME.md says what to fill in before you publish.\n`
}
