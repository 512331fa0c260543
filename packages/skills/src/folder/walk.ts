import { opendir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fault } from './frontmatter.ts'

/** The limits on the search. */
export interface WalkLimits {
  readonly maxDepth: number
  readonly maxFiles: number
}

/** A file below the folder. */
export interface FoundFile {
  /** The path relative to the folder, with `/` between segments. */
  readonly path: string
  /** The path after resolving links. */
  readonly real: string
  readonly size: number
}

interface Place {
  readonly path: string
  readonly real: string
  /** The real paths of this folder's parents, used to detect links to them. */
  readonly within: readonly string[]
}

/**
 * Returns all files below a folder, except those whose names begin with a dot. Links inside the folder are
 * followed.
 *
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION` for a link that leads out of the folder or back to a parent
 * folder, and if a limit is exceeded
 */
export async function filesBelow(folder: string, limits: WalkLimits): Promise<readonly FoundFile[]> {
  const root = await realpath(folder)
  const files: FoundFile[] = []
  const places: Place[] = [{ path: '', real: root, within: [] }]
  let seen = 0
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (place.within.length > limits.maxDepth)
      throw fault(
        join(folder, place.path),
        `is deeper than ${limits.maxDepth} folders; raise maxDepth or move it up`,
      )
    for await (const { name } of await opendir(place.real)) {
      if (name.startsWith('.')) continue
      if (++seen > limits.maxFiles)
        throw fault(
          folder,
          `has more than ${limits.maxFiles} files and folders; raise maxFiles or remove some`,
        )
      const path = place.path === '' ? name : `${place.path}/${name}`
      const real = await resolve(join(folder, path), join(place.real, name), root)
      const info = await stat(real)
      if (info.isFile()) files.push({ path, real, size: info.size })
      // Sockets and devices cannot be part of a skill.
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
    throw fault(shown, 'cannot be read; correct or remove it', cause)
  }
  // A link to the root passes this check, because `enter` rejects it with a better message.
  if (real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return real
  throw fault(
    shown,
    'is a link that leads out of the folder of skills; remove it, or copy its target into the folder',
  )
}

function enter(folder: string, place: Place, { path, real }: Pick<Place, 'path' | 'real'>): Place {
  const within = [...place.within, place.real]
  if (within.includes(real))
    throw fault(join(folder, path), 'is a link to a folder that contains it; remove the link')
  return { path, real, within }
}
