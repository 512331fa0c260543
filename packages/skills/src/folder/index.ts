import { open } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { UsageError } from '@jetway/core'
import type { SkillDefinition } from '../skill-types.ts'
import { fault, readFrontmatter } from './frontmatter.ts'
import { filesBelow, type FoundFile } from './walk.ts'

/** Limits on the search, so that a wrong folder, such as `/`, causes an error instead of exhausting memory. */
export interface ReadSkillsOptions {
  /** The maximum depth of nested folders. @default 16 */
  readonly maxDepth?: number
  /** The maximum number of files and folders, including those outside skills. @default 10_000 */
  readonly maxFiles?: number
  /** The maximum total size of all files in all skills, in bytes. @default 67_108_864 (64 MiB) */
  readonly maxBytes?: number
}

const DOCUMENT = 'SKILL.md'
/** The maximum number of files that are open at the same time, because a process may have few file descriptors. */
const AT_ONCE = 16

/**
 * Reads every folder that contains a `SKILL.md`, at any depth, for `skills({ skills })` from
 * `@jetway/skills`. A skill's path is the path of its folder below `folder`, or the skill's name if `folder`
 * itself is the skill. Files that do not belong to a skill are ignored, as are files and folders whose names
 * begin with a dot. Links inside the folder are followed. To update the skills, read the folder again and
 * pass the result to the extension's `set`.
 *
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION` for invalid frontmatter, for a link that leads out of the
 * folder, and if a limit is exceeded; `ERR_MCP_OPTION` for an invalid limit; and file system errors
 */
export async function readSkills(
  folder: string,
  options: ReadSkillsOptions = {},
): Promise<readonly SkillDefinition[]> {
  const maxDepth = limit('maxDepth', options.maxDepth ?? 16)
  const maxFiles = limit('maxFiles', options.maxFiles ?? 10_000)
  const maxBytes = limit('maxBytes', options.maxBytes ?? 64 * 1024 * 1024)
  const found = await filesBelow(folder, { maxDepth, maxFiles })
  const bySkill = divide(found)
  const all = [...bySkill.values()].flat()
  if (all.reduce((sum, { size }) => sum + size, 0) > maxBytes)
    throw fault(folder, `has skills of more than ${maxBytes} bytes; raise maxBytes or remove files`)
  const contents = await readAll(folder, all)
  const prefix = bySkill.has('') ? basename(resolve(folder)) : ''
  return [...bySkill].map(([root, files]) =>
    toSkill({ folder, root, path: [prefix, root].filter((it) => it !== '').join('/') }, files, contents),
  )
}

/**
 * Groups files by skill. A file belongs to the nearest folder above it that contains a `SKILL.md`. Files
 * without such a folder are left out.
 */
function divide(found: readonly FoundFile[]): ReadonlyMap<string, FoundFile[]> {
  const roots = found.filter(({ path }) => basename(path) === DOCUMENT).map(({ path }) => parent(path))
  const bySkill = new Map(roots.toSorted().map((root) => [root, [] as FoundFile[]]))
  for (const file of found) {
    let at = parent(file.path)
    while (!bySkill.has(at) && at !== '') at = parent(at)
    bySkill.get(at)?.push(file)
  }
  return bySkill
}

const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

async function readAll(
  folder: string,
  files: readonly FoundFile[],
): Promise<ReadonlyMap<FoundFile, Uint8Array>> {
  const contents = new Map<FoundFile, Uint8Array>()
  const queue = files.values()
  const worker = async (): Promise<void> => {
    for (const file of queue) contents.set(file, await readWhole(folder, file))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return contents
}

/**
 * Tries to read one byte more than expected. This detects that a file has grown, without reading an endless
 * file into memory.
 */
async function readWhole(folder: string, { path, real, size }: FoundFile): Promise<Uint8Array> {
  const file = await open(real)
  try {
    const bytes = new Uint8Array(size + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= size; length += read)
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead
    if (length === size) return bytes.subarray(0, size)
    throw fault(join(folder, path), 'changed while it was read; read the skills again')
  } finally {
    await file.close()
  }
}

interface Place {
  readonly folder: string
  /** The path of the skill, relative to the folder. */
  readonly root: string
  readonly path: string
}

function toSkill(
  { folder, root, path }: Place,
  files: readonly FoundFile[],
  contents: ReadonlyMap<FoundFile, Uint8Array>,
): SkillDefinition {
  const below = root === '' ? 0 : root.length + 1
  const byPath = files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((file) => [file.path.slice(below), contents.get(file) ?? new Uint8Array()] as const)
  const document = byPath.find(([name]) => name === DOCUMENT)?.[1] ?? new Uint8Array()
  const shown = join(folder, root, DOCUMENT)
  const { name, description, others } = readFrontmatter(shown, document)
  if (basename(path) !== name)
    throw fault(shown, `names the skill ${JSON.stringify(name)}; give its folder the same name`)
  return { name, description, path, frontmatter: others, files: Object.fromEntries(byPath) }
}

function limit(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new UsageError('ERR_MCP_OPTION', `readSkills: the option ${name} must be a whole number above 0`)
}
