import { opendir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fault } from './frontmatter.ts'

/** Bounds on what is looked at. */
export interface WalkLimits {
  readonly maxDepth: number
  readonly maxFiles: number
}

/** A file below the folder. */
export interface FoundFile {
  /** From the folder, with `/` between segments. */
  readonly path: string
  /** Without links, for reading. */
  readonly real: string
  readonly size: number
}

interface Place {
  readonly path: string
  readonly real: string
  /** Those that it stands in, to know a link that leads back. */
  readonly within: readonly string[]
}

/**
 * All files below a folder. Names that begin with a dot are passed over; links are followed as long as they
 * lead to something in the folder.
 *
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION` for a link that leads out or
 *   back, or where a limit is passed
 */
export async function filesBelow(folder: string, limits: WalkLimits): Promise<readonly FoundFile[]> {
  const root = await realpath(folder)
  const files: FoundFile[] = []
  const places: Place[] = [{ path: '', real: root, within: [] }]
  let seen = 0
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (place.within.length > limits.maxDepth)
      throw fault(join(folder, place.path), `lies deeper than ${limits.maxDepth} folders`)
    for await (const { name } of await opendir(place.real)) {
      if (name.startsWith('.')) continue
      if (++seen > limits.maxFiles)
        throw fault(folder, `holds more than ${limits.maxFiles} files and folders`)
      const path = place.path === '' ? name : `${place.path}/${name}`
      const real = await resolve(join(folder, path), join(place.real, name), root)
      const info = await stat(real)
      if (info.isFile()) files.push({ path, real, size: info.size })
      // Whatever else there is, sockets and the like, is no part of a skill.
      else if (info.isDirectory()) places.push(enter(folder, place, { path, real }))
    }
  }
  return files
}

async function resolve(shown: string, at: string, root: string): Promise<string> {
  let real: string
  try {
    real = await realpath(at)
  } catch (cause) {
    throw fault(shown, 'cannot be read', cause)
  }
  // A link to the folder itself leads back, which is for its place to say.
  if (real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return real
  throw fault(shown, 'is a link that leads out of the folder of skills')
}

function enter(folder: string, place: Place, { path, real }: Pick<Place, 'path' | 'real'>): Place {
  const within = [...place.within, place.real]
  if (within.includes(real)) throw fault(join(folder, path), 'is a link to a folder that it stands in')
  return { path, real, within }
}
