import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expandHome, isWithin, normalizePath } from './paths.ts'

/**
 * The directories that a client may use. This class never returns a path that is outside these directories,
 * even after following symbolic links.
 */
export class AllowedDirectories {
  readonly #list: readonly string[]

  constructor(list: readonly string[]) {
    this.#list = list
  }

  get list(): readonly string[] {
    return this.#list
  }

  /**
   * Checks a path that a client sent. The file does not have to exist yet.
   *
   * @returns the path after following its symbolic links
   * @throws Error if the path is outside the directories
   */
  async resolve(requested: string): Promise<string> {
    const expanded = expandHome(requested)
    // On a POSIX host, such a path would be an ordinary file name.
    if (process.platform !== 'win32' && /^[a-z]:(?:[\\/]|$)/i.test(expanded))
      throw new Error(`Access denied - Windows-style path received on a POSIX host: ${requested}`)
    const absolute = path.isAbsolute(expanded) ? path.resolve(expanded) : this.#fromRelative(expanded)
    if (!this.#allows(absolute))
      throw new Error(
        `Access denied - path outside allowed directories: ${absolute} not in ${this.#list.join(', ')}`,
      )
    const real = await unlessMissing(realpath(absolute))
    if (real !== undefined) return this.#checkTarget(real)
    const found = await unlessMissing(this.#resolveNew(absolute))
    if (found !== undefined) return found
    throw new Error(`Parent directory does not exist: ${path.dirname(absolute)}`)
  }

  #allows(absolute: string): boolean {
    return isWithin(normalizePath(absolute), this.#list)
  }

  #checkTarget(real: string): string {
    if (this.#allows(real)) return real
    throw new Error(
      `Access denied - symlink target outside allowed directories: ${real} not in ${this.#list.join(', ')}`,
    )
  }

  #fromRelative(relative: string): string {
    const candidates = this.#list.map((directory) => path.resolve(directory, relative))
    return candidates.find((candidate) => this.#allows(candidate)) ?? candidates[0] ?? path.resolve(relative)
  }

  /**
   * Resolves a path that does not exist, one part at a time, so that no part can be a link to the outside.
   * Names that differ only in Unicode normalisation are treated as the same name, as on macOS.
   */
  async #resolveNew(absolute: string): Promise<string> {
    const longestFirst = this.#list.toSorted((a, b) => b.length - a.length)
    const directory = longestFirst.find((each) => isWithin(normalizePath(absolute), [each]))
    if (directory === undefined) return absolute
    let at = await realpath(directory)
    const parts = path.relative(directory, absolute).split(path.sep).filter(Boolean)
    for (const [index, part] of parts.entries()) {
      const name = sameName(await readdir(at), part)
      if (name === undefined) return path.join(at, ...parts.slice(index))
      at = this.#checkTarget(await realpath(path.join(at, name)))
    }
    return at
  }
}

function sameName(names: readonly string[], wanted: string): string | undefined {
  if (names.includes(wanted)) return wanted
  const equal = names.filter((name) => name.normalize('NFC') === wanted.normalize('NFC'))
  if (equal.length > 1) throw new Error(`Ambiguous Unicode path component: ${wanted}`)
  return equal[0]
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const isDirectory = async (given: string) => (await unlessMissing(stat(given)))?.isDirectory() === true

/**
 * Returns the directories from the command line, both as written and after following their links, because
 * clients may use either form. Arguments that are not directories are omitted.
 */
export async function directoriesOf(args: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    args.map(async (arg) => {
      const absolute = path.resolve(expandHome(arg))
      const real = (await unlessMissing(realpath(absolute))) ?? absolute
      return [...new Set([normalizePath(absolute), normalizePath(real)])]
    }),
  )
  return existing(found.flat())
}

/** Returns those of a client's roots that are directories, after following their links. */
export async function directoriesOfRoots(uris: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(uris.map((uri) => realRoot(uri).catch(() => undefined)))
  return existing(found.filter((each) => each !== undefined))
}

/** @throws Error for a scheme other than `file:`, and for a folder that does not exist */
const realRoot = async (uri: string) => normalizePath(await realpath(fileURLToPath(uri)))

async function existing(directories: readonly string[]): Promise<readonly string[]> {
  const checked = await Promise.all(
    directories.map(async (directory) => {
      if (await isDirectory(directory).catch(() => false)) return [directory]
      console.error(`Warning: ${directory} is not an accessible directory, skipping`)
      return []
    }),
  )
  return checked.flat()
}
