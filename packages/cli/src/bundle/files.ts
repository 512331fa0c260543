import { existsSync, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { CliError } from '../errors.ts'
import type { Project } from '../project/project.ts'
import { pngSize } from '../project/png.ts'
import { readRegularFile } from '../regular-file.ts'
import type { ArchiveFile } from './archive.ts'
import type { Closure } from './closure.ts'
import { filesIn } from './installed-package.ts'

type Files = readonly (readonly [path: string, file: ArchiveFile])[]

/** Reads the files of the packages that are copied as folders. */
export const packageFiles = (closure: Closure): Files =>
  [...closure].flatMap(([place, { folder }]) =>
    filesIn(folder).map((path) => [slashed(join(place, relative(folder, path))), fileAt(path)] as const),
  )

/** Reads the additional files that are listed in `jetway.json`. @throws CliError `failed` */
export function ownFiles({ packageJson: { folder }, jetwayJson }: Project): Files {
  const paths = (jetwayJson.bundle?.files ?? []).flatMap((given) => {
    const path = resolve(folder, given)
    if (!path.startsWith(folder + sep))
      throw new CliError('failed', `jetway.json: bundle.files has ${given}, which is outside of ${folder}`)
    if (!existsSync(path))
      throw new CliError('failed', `jetway.json: bundle.files has ${given}, which does not exist`)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })
  const secret = paths.find((path) => /^\.env(?:\.|$)/.test(basename(path)) && !path.endsWith('.example'))
  if (secret !== undefined)
    throw new CliError('failed', `${relative(folder, secret)} may have secrets, and would be published`, {
      hint: 'Describe its variables in "settings" of jetway.json: hosts ask their user for them',
    })
  return paths.map((path) => [slashed(relative(folder, path)), fileAt(path)])
}

const TEXTS = /^(?:readme|licen[cs]e|changelog)(?:\.(?:md|txt))?$/i

/** Reads the README, licence and changelog of the author's package. */
export const ownTexts = ({ packageJson: { folder } }: Project, names: readonly string[]): Files =>
  names.filter((name) => TEXTS.test(name)).map((name) => [name, fileAt(join(folder, name))])

/** Reads an image that is named in `jetway.json`. @throws CliError `failed` */
export function imageFile(
  project: Project,
  member: string,
  path: string,
): ArchiveFile & { readonly size: string } {
  const full = resolve(project.packageJson.folder, path)
  const size = existsSync(full) ? pngSize(full) : undefined
  if (size === undefined)
    throw new CliError('failed', `jetway.json: ${member} has ${path}, which is not a PNG file`, {
      hint: 'Name a PNG file, relative to jetway.json',
    })
  return { ...fileAt(full), size: `${size.width}x${size.height}` }
}

function fileAt(path: string): ArchiveFile {
  return { bytes: readRegularFile(path), isExecutable: (statSync(path).mode & 0o111) !== 0 }
}

const slashed = (path: string): string => path.replaceAll('\\', '/')
