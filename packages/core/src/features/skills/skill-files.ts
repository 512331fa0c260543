import { usageError } from '../../errors.ts'
import type { Resource } from '../../protocol/types.ts'
import type { RequestContext } from '../../call/request-context.ts'
import { utf8Length } from '../../util/bytes.ts'
import { fault, invalid, type Subject } from '../registry/checks.ts'
import { OutputError } from '../content/output-error.ts'
import type { AnyResource } from '../resources/resource-types.ts'
import { hasFrontmatter, isUnicode } from './frontmatter.ts'
import { mediaTypeOf } from './media-types.ts'
import type { SkillContent, SkillResource } from './skill-types.ts'

/** What a file may have as it travels, in bytes: below the default `maxResultBytes` of 8 MiB, with room for the rest. */
const MAX_ENCODED_BYTES = 8_000_000
const MAX_SEGMENTS = 32
const MAX_PATH_LENGTH = 1024
/** Two of them fit into a cursor. */
const MAX_URI_LENGTH = 4096
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file as it is served. */
export interface ServedFile {
  /** From the root of all skills. */
  readonly path: string
  readonly item: Resource
  readonly definition: AnyResource
  /** Raw bytes; undefined where the file is made for every read. */
  readonly size: number | undefined
  /** Undefined where the file is made for every read. Hashes on the first call. */
  manifest(): Promise<SkillResource> | undefined
}

export interface FileFields {
  readonly subject: Subject
  readonly path: string
  readonly content: SkillContent<never, never>
  /** Of the skill, for its `SKILL.md`. */
  readonly shown?: { readonly name: string; readonly description: string }
}

/** The address of a file or folder. Segments travel encoded, so that a space or a "?" is part of a name. */
export const skillUri = (path: string): string =>
  `skill://${path.split('/').map(encodeURIComponent).join('/')}`

export function serveFile({ subject, path, content, shown }: FileFields): ServedFile {
  const uri = skillUri(path)
  if (uri.length > MAX_URI_LENGTH)
    throw fault(
      subject,
      'ERR_MCP_INVALID_NAME',
      `has a file whose address is longer than ${MAX_URI_LENGTH} characters`,
    )
  const name = path.slice(path.lastIndexOf('/') + 1)
  const known = typeof content === 'function' ? undefined : settle(subject, path, content)
  const mimeType =
    mediaTypeOf(name) ?? (known instanceof Uint8Array ? 'application/octet-stream' : 'text/plain')
  const size = known === undefined ? undefined : sizeOf(known)
  const item: Resource = {
    uri,
    name: shown?.name ?? name,
    ...(shown !== undefined && { description: shown.description }),
    mimeType,
    ...(size !== undefined && { size }),
  }
  const make = content as (ctx: RequestContext<never, never>) => unknown
  const handler =
    known === undefined
      ? async (_args: never, ctx: RequestContext<never, never>) => made(uri, await make(ctx))
      : () => known
  let listed: Promise<SkillResource> | undefined
  return {
    path,
    item,
    definition: { ...item, handler },
    size,
    manifest: () => {
      if (known === undefined || size === undefined) return undefined
      return (listed ??= digest(known).then((hash) => ({ uri, digest: hash, size })))
    },
  }
}

/** Text where it can be text: hosts hash what they have read, and base64 costs a third more. */
function settle(subject: Subject, path: string, content: unknown): string | Uint8Array {
  const given = content instanceof Uint8Array ? (asText(content) ?? content.slice()) : content
  if (typeof given !== 'string' && !(given instanceof Uint8Array))
    throw invalid(subject, `needs text, bytes or a function as its file ${JSON.stringify(path)}`)
  if (typeof given === 'string' && !isUnicode(given))
    throw invalid(subject, `has half of a surrogate pair in its file ${JSON.stringify(path)}`)
  const encoded =
    typeof given === 'string' ? utf8Length(JSON.stringify(given)) : Math.ceil(given.length / 3) * 4
  if (encoded > MAX_ENCODED_BYTES)
    throw invalid(
      subject,
      `has a file ${JSON.stringify(path)} that is too large to be read: ${encoded} of ${MAX_ENCODED_BYTES} bytes as it travels`,
    )
  return given
}

function asText(bytes: Uint8Array): string | undefined {
  // Bytes that happen to be UTF-8 are text to no reader with a NUL among them.
  if (bytes.includes(0)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

function made(uri: string, content: unknown): string | Uint8Array {
  if (content instanceof Uint8Array) return asText(content) ?? content
  if (typeof content === 'string') return content
  throw new OutputError(`The file ${uri} was to be text or bytes, not ${typeof content}`)
}

const sizeOf = (content: string | Uint8Array): number =>
  typeof content === 'string' ? utf8Length(content) : content.length

async function digest(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** A `SKILL.md` that is given whole. */
export function checkDocument(subject: Subject, content: unknown): void {
  const text = content instanceof Uint8Array ? asText(content) : content
  if (typeof text === 'string' && hasFrontmatter(text)) return
  throw invalid(subject, 'needs a SKILL.md of UTF-8 text that begins with frontmatter between lines of "---"')
}

/** A path that stays below its folder whatever reads it: on Windows, too, and after decoding. */
export function checkFilePath(subject: Subject, path: string): void {
  const segments = path.split('/')
  const fine =
    path.length <= MAX_PATH_LENGTH &&
    segments.length <= MAX_SEGMENTS &&
    isUnicode(path) &&
    segments.every(
      (segment) => segment.trim() !== '' && segment !== '.' && segment !== '..' && !FORBIDDEN.test(segment),
    )
  if (fine) return
  throw usageError(
    'ERR_MCP_INVALID_NAME',
    `The ${subject.kind} ${JSON.stringify(subject.name)} has a file ${JSON.stringify(path.slice(0, 128))}, which is no relative path of at most ${MAX_SEGMENTS} segments and ${MAX_PATH_LENGTH} characters, without "..", "\\", ":" and control characters`,
  )
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const FORBIDDEN = /[\\:\u0000-\u001f\u007f-\u009f]/
