import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError, usageError } from '../errors.ts'
import { type JetwayJson, readJetwayJson } from './jetway-json.ts'
import { type PackageJson, readPackageJson } from './package-json.ts'

/** An author's server: its file, and the contents of both manifests. */
export interface Project {
  /** The absolute path of the server's file. */
  readonly file: string
  readonly packageJson: PackageJson
  readonly jetwayJson: JetwayJson
}

/**
 * Finds the project to which a file belongs. Without a file, uses the project in the current folder, whose
 * `jetway.json` names the file.
 *
 * @throws CliError
 */
export async function findProject(word: string | undefined): Promise<Project> {
  // With a file in the current folder, the search for `package.json` starts there.
  const packageJson = readPackageJson(resolve(word ?? 'package.json'))
  const jetwayJson = await readJetwayJson(packageJson.folder)
  const file = fileOf(word, packageJson.folder, jetwayJson)
  return { file, packageJson, jetwayJson }
}

function fileOf(word: string | undefined, folder: string, { entry }: JetwayJson): string {
  if (word === undefined && entry === undefined)
    throw usageError('There is no file', 'Name the file of the server, or set "entry" in jetway.json')
  const file = word === undefined ? resolve(folder, entry ?? '') : resolve(word)
  if (existsSync(file)) return file
  throw usageError(
    `The file ${word ?? file} does not exist`,
    word === undefined ? 'Correct "entry" in jetway.json' : undefined,
  )
}

/** @throws CliError `failed` if the server reports a version other than that in `package.json` */
export function checkVersion({ packageJson }: Project, running: string | undefined): void {
  const { version, folder } = packageJson
  if (running === version) return
  throw new CliError(
    'failed',
    `The running server says version ${running ?? '(none)'}, and ${folder}/package.json says ${version}`,
    { hint: 'Let the server read its version from package.json, so that there is one' },
  )
}

/** Reads the manifests of the project in the current folder. @throws CliError */
export async function readProject(): Promise<Project> {
  const file = resolve('package.json')
  const packageJson = readPackageJson(file)
  return { file, packageJson, jetwayJson: await readJetwayJson(packageJson.folder) }
}
