import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Manifest, mergeManifests, withRanges } from './manifest.ts'
import { type TemplateName, TEMPLATES } from './template-names.ts'

/** What a template does not know. */
export interface ProjectFacts {
  /** The name of the package. */
  readonly name: string
  /** The name of the server for people. */
  readonly title: string
  /** The server's name in the MCP registry. */
  readonly mcpName: string
  /** Who holds the copyright. */
  readonly author: string
}

/** The text of each file, by its path in the project. */
export type ProjectFiles = ReadonlyMap<string, string>

const folder = fileURLToPath(new URL('../templates', import.meta.url))

/** npm leaves `.gitignore` out of tarballs, and pnpm takes any `LICENSE` for that of the package. */
const RENAMED: Readonly<Record<string, string>> = { _gitignore: '.gitignore', _LICENSE: 'LICENSE' }

function pathsIn(layer: string): readonly string[] {
  const root = join(folder, layer)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
}

/** Returns the files of a new project. The same facts give the same files. */
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
      // The only fact that may need escapes, or have a `$`.
      .replaceAll('__AUTHOR__', () =>
        path.endsWith('.json') ? JSON.stringify(facts.author).slice(1, -1) : facts.author,
      )
  return new Map(
    [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => [path, fill(path, text)]),
  )
}
