import type { AnyResource, RequestContext } from '@jetway/core'
import type { Resource } from '@jetway/core/protocol'
import { fault, invalid, type Subject } from './checks.ts'
import { hasFrontmatter, isUnicode } from './frontmatter.ts'
import { mediaTypeOf } from './media-types.ts'
import type { SkillContent, SkillResource } from './skill-types.ts'

/**
 * The maximum size of a file as JSON, in bytes. A result that contains such a file stays below the default
 * `maxResultBytes` of 8 MiB.
 */
const MAX_ENCODED_BYTES = 8_000_000
const MAX_SEGMENTS = 32
const MAX_PATH_LENGTH = 1024
/** The maximum length of a URI. A cursor can contain two URIs of this length. */
const MAX_URI_LENGTH = 4096
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface ServedFile {
  /** The path relative to the root folder of all skills. */
  readonly path: string
  /** The resource. Its size is undefined if a function creates the file each time it is read. */
  readonly item: Resource
  readonly definition: AnyResource
  /**
   * Returns the entry for the manifest, or undefined if a function creates the file. Hashes the file when it
   * is called for the first time.
   */
  manifest(): Promise<SkillResource> | undefined
}

/** Encodes each segment, so that names may contain characters such as a space or "?". */
export const skillUri = (path: string): string =>
  `skill://${path.split('/').map(encodeURIComponent).join('/')}`

/** @param shown - the skill's name and description, which are passed only for its `SKILL.md` */
export function serveFile(
  subject: Subject,
  path: string,
  content: SkillContent<never, never>,
  shown: { readonly name?: string; readonly description?: string },
): ServedFile {
  const uri = skillUri(path)
  if (uri.length > MAX_URI_LENGTH)
    throw fault(
      subject,
      'ERR_MCP_INVALID_NAME',
      `has a file whose address is longer than ${MAX_URI_LENGTH} characters`,
    )
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (typeof content === 'function') {
    const item: Resource = { uri, name, ...shown, mimeType: mediaTypeOf(name) ?? 'text/plain' }
    const handler = async (_args: unknown, ctx: RequestContext<never, never>): Promise<unknown> =>
      made(uri, await content(ctx))
    return { path, item, definition: { ...item, handler }, manifest: () => undefined }
  }
  const given = settle(subject, path, content)
  const size = typeof given === 'string' ? encoder.encode(given).length : given.length
  const other = typeof given === 'string' ? 'text/plain' : 'application/octet-stream'
  const item: Resource = { uri, name, ...shown, mimeType: mediaTypeOf(name) ?? other, size }
  let listed: Promise<SkillResource> | undefined
  const hashed = async (): Promise<SkillResource> => ({ uri, digest: await digest(given), size })
  return {
    path,
    item,
    definition: { ...item, handler: () => given },
    manifest: () => (listed ??= hashed()),
  }
}

/** Converts bytes to text if possible, because base64 is a third longer. */
function settle(subject: Subject, path: string, content: unknown): string | Uint8Array {
  const given = content instanceof Uint8Array ? (asText(content) ?? content.slice()) : content
  if (typeof given !== 'string' && !(given instanceof Uint8Array))
    throw invalid(subject, `needs text, bytes or a function as its file ${JSON.stringify(path)}`)
  if (typeof given === 'string' && !isUnicode(given))
    throw invalid(subject, `has half of a surrogate pair in its file ${JSON.stringify(path)}`)
  const encoded =
    typeof given === 'string' ? encoder.encode(JSON.stringify(given)).length : Math.ceil(given.length / 3) * 4
  if (encoded > MAX_ENCODED_BYTES)
    throw invalid(
      subject,
      `has a file ${JSON.stringify(path)} that is too large to be read: ${encoded} of ${MAX_ENCODED_BYTES} bytes as it travels`,
    )
  return given
}

function asText(bytes: Uint8Array): string | undefined {
  // Bytes that include a NUL are not treated as text, even if they are valid UTF-8.
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
  throw new TypeError(`The file ${uri} was to be text or bytes, not ${typeof content}`)
}

async function digest(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? encoder.encode(content) : new Uint8Array(content)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export function checkDocument(subject: Subject, content: unknown): void {
  const text = content instanceof Uint8Array ? asText(content) : content
  if (typeof text === 'string' && hasFrontmatter(text)) return
  throw invalid(subject, 'needs a SKILL.md of UTF-8 text that begins with frontmatter between lines of "---"')
}

/** Rejects paths that could lead out of their folder, including on Windows and after decoding. */
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
  throw fault(
    subject,
    'ERR_MCP_INVALID_NAME',
    `has a file ${JSON.stringify(path.slice(0, 128))}, which is no relative path of at most ${MAX_SEGMENTS} segments and ${MAX_PATH_LENGTH} characters, without "..", "\\", ":" and control characters`,
  )
}

// oxlint-disable-next-line no-control-regex -- the expression searches for control characters
const FORBIDDEN = /[\\:\u0000-\u001f\u007f-\u009f]/
