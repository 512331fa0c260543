import { open, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fault, MAX_LENGTH, parseOpenApi } from './parse.ts'

/** The options of `readOpenApi`. */
export interface ReadOptions {
  /**
   * Whether references may lead to other files in the document's folder or below it. Their contents are put into the
   * document. @default false
   */
  readonly files?: boolean
}

/** Where the contents of other files are put. */
const FILES = 'x-jetway-files'
const MAX_FILES = 1_000

/**
 * Reads a document in JSON or YAML, of at most 32 MiB with all of its files. Nothing is fetched.
 *
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION` for a file that is no such document, and for a reference to a file
 * that is not below the document's folder; and file system errors
 */
export async function readOpenApi(path: string, { files = false }: ReadOptions = {}): Promise<object> {
  const main = await realpath(path)
  const reader = new Reader(dirname(main))
  const document = await reader.read(main)
  return files ? reader.withFiles(document, main) : document
}

type Loose = Record<string, unknown>

class Reader {
  readonly #folder: string
  #left = MAX_LENGTH

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(path: string): Promise<Loose> {
    const file = await open(path)
    try {
      // A size of 0 is that of a device or of an endless file, too.
      const { size } = await file.stat()
      if (size > this.#left)
        throw fault(path, 'is larger than 32 MiB, or the files of the document are together')
      const bytes = new Uint8Array(size + 1)
      let length = 0
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = (await file.read(bytes, length, bytes.length - length)).bytesRead
      if (length > size) throw fault(path, 'changed while it was read; read it again')
      this.#left -= size
      return parseOpenApi(new TextDecoder().decode(bytes.subarray(0, length)), path) as Loose
    } finally {
      await file.close()
    }
  }

  /** Puts all files that a document refers to into it, and makes the references local. */
  async withFiles(document: Loose, main: string): Promise<Loose> {
    const contents = new Map<string, Loose>([[main, document]])
    for (const [path, content] of contents) {
      for (const holder of references(content)) {
        const reference = holder['$ref'] as string
        const [name = '', pointer = ''] = reference.split('#')
        const target = name === '' ? path : await this.#find(path, name)
        if (!contents.has(target)) {
          if (contents.size >= MAX_FILES) throw fault(main, `refers to more than ${MAX_FILES} files`)
          contents.set(target, await this.read(target))
        }
        holder['$ref'] = `#${this.#placeOf(target, main)}${pointer}`
      }
    }
    contents.delete(main)
    const others = Array.from(contents, ([path, content]) => [this.#keyOf(path), content] as const)
    return { ...document, [FILES]: Object.fromEntries(others) }
  }

  /** @throws UsageError for a file outside of the folder, also by links */
  async #find(from: string, name: string): Promise<string> {
    if (/^[a-z][a-z0-9+.-]+:/i.test(name) || name.startsWith('/'))
      throw fault(from, `refers to ${name.slice(0, 128)}; only files in its own folder are read`)
    const shown = resolve(join(dirname(from), decode(name)))
    const path = await realpath(shown)
    if (path.startsWith(this.#folder.endsWith(sep) ? this.#folder : this.#folder + sep)) return path
    throw fault(from, `refers to ${name.slice(0, 128)}, which is outside of the document's folder`)
  }

  #keyOf(path: string): string {
    return relative(this.#folder, path).split(sep).join('/')
  }

  #placeOf(path: string, main: string): string {
    if (path === main) return ''
    const key = this.#keyOf(path).replaceAll('~', '~0').replaceAll('/', '~1')
    return `/${FILES}/${encodeURIComponent(key)}`
  }
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** All objects with a `$ref`. An object may be found twice in YAML with aliases, so each is returned once. */
function references(content: unknown): readonly Loose[] {
  const found: Loose[] = []
  const seen = new Set<unknown>([content])
  for (const value of seen) {
    if (typeof value !== 'object' || value === null) continue
    if (typeof (value as Loose)['$ref'] === 'string') found.push(value as Loose)
    for (const inner of Object.values(value)) seen.add(inner)
  }
  return found
}
