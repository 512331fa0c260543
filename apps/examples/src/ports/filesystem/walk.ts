import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { minimatch } from 'minimatch'
import type { AllowedDirectories } from './allowed-directories.ts'

const matches = (relative: string, pattern: string) => minimatch(relative, pattern, { dot: true })

/**
 * Returns the paths below a folder that match a pattern. Paths that cannot be read or are outside the allowed
 * directories are omitted.
 */
export async function search(
  allowed: AllowedDirectories,
  root: string,
  pattern: string,
  excluded: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const at = path.join(folder, entry.name)
      try {
        await allowed.resolve(at)
        const relative = path.relative(root, at)
        if (excluded.some((each) => matches(relative, each))) continue
        if (matches(relative, pattern)) found.push(at)
        if (entry.isDirectory()) await visit(at)
      } catch {
        continue
      }
    }
  }
  await visit(root)
  return found
}

export interface TreeEntry {
  readonly name: string
  readonly type: 'file' | 'directory'
  readonly children?: readonly TreeEntry[]
}

/** Lists a folder and everything below it. Fails if any part cannot be read. */
export function treeOf(
  allowed: AllowedDirectories,
  root: string,
  excluded: readonly string[],
): Promise<readonly TreeEntry[]> {
  const isExcluded = (relative: string) => excluded.some((pattern) => excludes(pattern, relative))
  const visit = async (folder: string): Promise<readonly TreeEntry[]> => {
    const entries = await readdir(await allowed.resolve(folder), { withFileTypes: true })
    const tree: TreeEntry[] = []
    for (const entry of entries) {
      const at = path.join(folder, entry.name)
      if (isExcluded(path.relative(root, at))) continue
      const { name } = entry
      if (entry.isDirectory()) tree.push({ name, type: 'directory', children: await visit(at) })
      else tree.push({ name, type: 'file' })
    }
    return tree
  }
  return visit(root)
}

/** A pattern without `*` matches a name at any depth. */
function excludes(pattern: string, relative: string): boolean {
  if (matches(relative, pattern)) return true
  return (
    !pattern.includes('*') && (matches(relative, `**/${pattern}`) || matches(relative, `**/${pattern}/**`))
  )
}
