import { type AnyResource, type RequestContext, UsageError } from '@jetway/core'
import { isObject, type JsonObject, type Resource } from '@jetway/core/protocol'
import { fault, invalid, type Subject } from './checks.ts'
import { frontmatterOf, writeDocument } from './frontmatter.ts'
import { checkDocument, checkFilePath, type ServedFile, serveFile, skillUri } from './skill-files.ts'
import type { AnySkill, Skill, SkillContent } from './skill-types.ts'

const DOCUMENT = 'SKILL.md'
const DIRECTORY = 'inode/directory'
/** https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx#limits */
const MAX_FILES = 512
const MAX_BYTES = 16 * 1024 * 1024
const MAX_PATH_LENGTH = 512
/**
 * Upper case is not allowed, because clients may convert the first segment to lower case, as it is the URI's
 * authority. A leading dot is not allowed either.
 */
const PREFIX_SEGMENT = /^[a-z0-9_~-][a-z0-9._~-]{0,127}$/

/** A skill, together with the files of nested skills. */
export interface ServedSkill {
  readonly uri: string
  /** Returns the entry for lists. Hashes the files when it is called for the first time. */
  entry(): Promise<Skill>
}

/** All validated skills of a server. A catalogue is immutable. */
export interface Catalogue {
  /** The skills, sorted by URI. */
  readonly skills: readonly ServedSkill[]
  find(uri: string): ServedSkill | undefined
  readonly resources: readonly AnyResource[]
  /** The files and folders in each folder, keyed by the folder's URI. */
  readonly directories: ReadonlyMap<string, readonly Resource[]>
}

interface Root {
  readonly path: string
  readonly frontmatter: JsonObject
  readonly subject: Subject
  readonly files: ServedFile[]
}

/** @throws UsageError for a skill that is invalid or too large, or that has the same path as another one */
export function createCatalogue(definitions: Iterable<AnySkill>): Catalogue {
  const roots = new Map<string, Root>()
  const files = new Map<string, ServedFile>()
  for (const definition of definitions) {
    const root = createRoot(definition)
    if (roots.has(root.path))
      throw new UsageError('ERR_MCP_DUPLICATE_NAME', `There is a skill at ${skillUri(root.path)} already`)
    roots.set(root.path, root)
    for (const file of filesOf(root, definition)) {
      if (files.has(file.path))
        throw new UsageError('ERR_MCP_DUPLICATE_NAME', `Two skills have a file at ${file.item.uri}`)
      files.set(file.path, file)
    }
  }
  const sorted = [...files.values()].toSorted((a, b) => compare(a.path, b.path))
  const directories = createDirectories(sorted, files)
  for (const file of sorted) for (const folder of ancestors(file.path)) roots.get(folder)?.files.push(file)
  const skills = [...roots.values()].map(serve).toSorted((a, b) => compare(a.uri, b.uri))
  const byUri = new Map(skills.map((skill) => [skill.uri, skill]))
  return {
    skills,
    find: (uri) => byUri.get(uri),
    resources: sorted.map(({ definition }) => definition),
    directories,
  }
}

/** Compares UTF-16 code units, so that the order is the same on every node, regardless of the node's locale. */
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function createRoot(definition: AnySkill): Root {
  if (!isObject(definition))
    throw new UsageError(
      'ERR_MCP_INVALID_DEFINITION',
      'A skill is defined by an object with its name and description',
    )
  const subject = { name: String(definition.path ?? definition.name) }
  const frontmatter = frontmatterOf(subject, definition)
  const { name, path = name } = definition
  checkSkillPath(subject, path, name)
  return { path, frontmatter, subject, files: [] }
}

function checkSkillPath(subject: Subject, path: unknown, name: string): void {
  const segments = typeof path === 'string' && path.length <= MAX_PATH_LENGTH ? path.split('/') : []
  if (segments.pop() === name && segments.every((segment) => PREFIX_SEGMENT.test(segment))) return
  throw fault(
    subject,
    'ERR_MCP_INVALID_NAME',
    `needs a path that ends in its name, such as "acme/billing/${name}", of at most ${MAX_PATH_LENGTH} characters, its other segments of a-z, 0-9, ".", "_", "~" and "-"`,
  )
}

function filesOf({ path, subject, frontmatter }: Root, skill: AnySkill): ServedFile[] {
  const { name, description, files = {}, instructions } = skill
  if (!isObject(files)) throw invalid(subject, 'needs an object as its files')
  const given = Object.hasOwn(files, DOCUMENT)
  if (given === (instructions !== undefined))
    throw invalid(subject, `needs either instructions or a file ${DOCUMENT}`)
  if (given) checkDocument(subject, files[DOCUMENT])
  const all: [string, SkillContent<never, never>][] = Object.entries(files)
  if (instructions !== undefined) all.push([DOCUMENT, composed(subject, frontmatter, instructions)])
  return all.map(([file, content]) => {
    checkFilePath(subject, file)
    const shown = file === DOCUMENT ? { name, description } : {}
    return serveFile(subject, `${path}/${file}`, content, shown)
  })
}

function composed(
  subject: Subject,
  frontmatter: JsonObject,
  instructions: SkillContent<never, never>,
): SkillContent<never, never> {
  if (typeof instructions === 'string') return writeDocument(frontmatter, instructions)
  if (typeof instructions !== 'function')
    throw invalid(subject, 'needs a string or a function as its instructions')
  return async (ctx: RequestContext<never, never>) => {
    const text = await instructions(ctx)
    if (typeof text !== 'string') throw new TypeError('The instructions of a skill must be text')
    return writeDocument(frontmatter, text)
  }
}

function serve({ path, frontmatter, subject, files }: Root): ServedSkill {
  const uri = skillUri(`${path}/${DOCUMENT}`)
  const bytes = files.reduce((sum, { item }) => sum + (item.size ?? 0), 0)
  if (files.length > MAX_FILES || bytes > MAX_BYTES)
    throw invalid(
      subject,
      `has ${files.length} files of ${bytes} bytes, with the skills nested in it; hosts load at most ${MAX_FILES} of ${MAX_BYTES} bytes`,
    )
  const dynamic = files.some(({ item }) => item.size === undefined)
  return {
    uri,
    entry: async () => {
      if (dynamic) return { uri, frontmatter, resources: 'dynamic' }
      const resources = await Promise.all(
        files.map((file) => file.manifest()).filter((it) => it !== undefined),
      )
      return { uri, frontmatter, resources }
    },
  }
}

/** Returns the parent folders of a path. For `a/b/c`, these are `a/b` and `a`. */
function* ancestors(path: string): Generator<string> {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at)
}

function createDirectories(
  sorted: readonly ServedFile[],
  files: ReadonlyMap<string, ServedFile>,
): ReadonlyMap<string, readonly Resource[]> {
  const directories = new Map<string, Map<string, Resource>>()
  for (const { path, item } of sorted) {
    let child = item
    for (const folder of ancestors(path)) {
      const uri = skillUri(folder)
      if (files.has(folder))
        throw new UsageError('ERR_MCP_DUPLICATE_NAME', `${uri} is both a file and a folder`)
      const children = directories.get(uri) ?? new Map<string, Resource>()
      directories.set(uri, children.set(child.uri, child))
      child = { uri, name: folder.slice(folder.lastIndexOf('/') + 1), mimeType: DIRECTORY }
    }
  }
  return new Map(
    [...directories].map(([uri, items]) => [
      uri,
      [...items.values()].toSorted((a, b) => compare(a.uri, b.uri)),
    ]),
  )
}
