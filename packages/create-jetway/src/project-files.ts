import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Manifest, mergeManifests, withRanges } from './manifest.ts'
import { type TemplateName, TEMPLATES } from './template-names.ts'

/** The values that are filled into a template. */
export interface ProjectFacts {
  /** The package name. */
  readonly name: string
  /** The server's display name. */
  readonly title: string
  /** The server's name in the MCP registry. */
  readonly mcpName: string
  /** The copyright holder. */
  readonly author: string
}

/** The text of each file, keyed by its path in the project. */
export type ProjectFiles = ReadonlyMap<string, string>

const folder = fileURLToPath(new URL('../templates', import.meta.url))

/**
 * npm leaves `.gitignore` out of tarballs, and pnpm treats any file with `license` in its name as the
 * package's own licence.
 */
const RENAMED: Readonly<Record<string, string>> = { _gitignore: '.gitignore', _MIT: 'LICENSE' }

function pathsIn(layer: string): readonly string[] {
  const root = join(folder, layer)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
}

/** Returns the files of a new project. The same values always produce the same files. */
export function projectFiles(template: TemplateName, facts: ProjectFacts): ProjectFiles {
  const sources = new Map<string, string>()
  let manifest: Manifest = {}
  for (const layer of TEMPLATES[template].layers)
    for (const path of pathsIn(layer)) {
      const text = readFileSync(join(folder, layer, path), 'utf8')
      if (path === 'package.json') manifest = mergeManifests(manifest, JSON.parse(text) as Manifest)
      else sources.set(RENAMED[path] ?? path, text)
    }
  sources.set('package.json', `${JSON.stringify(withRanges(manifest), null, 2)}\n`)
  const fill = (path: string, text: string): string =>
    text
      .replaceAll('__NAME__', facts.name)
      .replaceAll('__TITLE__', facts.title)
      .replaceAll('__MCP_NAME__', facts.mcpName)
      // This is the only value that may need escaping or contain a `$`.
      .replaceAll('__AUTHOR__', () =>
        path.endsWith('.json') ? JSON.stringify(facts.author).slice(1, -1) : facts.author,
      )
  return new Map(
    [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => [path, fill(path, text)]),
  )
}
