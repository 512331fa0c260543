import { basename } from 'node:path'
import { CreateError } from './errors.ts'
import type { ProjectFacts } from './project-files.ts'

/** A name that is valid in npm and, after the namespace, in the MCP registry. npm itself allows 214 characters. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,199}$/

/** Names that npm does not allow for packages. */
const FORBIDDEN = new Set(['node_modules', 'favicon.ico'])

/**
 * Derives the names of a project from its folder.
 *
 * @param folder an absolute path
 * @throws CreateError if the folder's name is not a valid package name
 */
export function namesFor(folder: string): Omit<ProjectFacts, 'author'> {
  const name = basename(folder).toLowerCase().replaceAll(/\s+/g, '-')
  if (!NAME.test(name) || FORBIDDEN.has(name))
    throw new CreateError(
      `${basename(folder) || folder} is no name for a package`,
      'Name a folder with a-z, 0-9, "-", "." and "_", which begins with a letter or a digit',
    )
  const words = name.replaceAll(/[._-]+/g, ' ').trim()
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return { name, title, mcpName: `io.github.your-name/${name}` }
}
