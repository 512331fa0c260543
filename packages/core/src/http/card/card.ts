import { usageError } from '../../errors.ts'
import type { Implementation } from '../../protocol/types.ts'
import { check, checkNames, type OptionNames } from '../../util/check-options.ts'
import type { DescribedMount, ServerCard, WellKnown, WellKnownRequest } from '../authenticate.ts'
import { slashed } from '../sse-paths.ts'
import type { HttpReply } from '../types.ts'

/*
 * The specifications that this file implements. Their URLs and fields have changed several times, so
 * everything that depends on them is in this file.
 *
 * - Server Cards, the extension of SEP-2127, as of 2026-07-24 (commit 8924e08). Its schema was still the same on
 *   2026-08-12 (526201b): https://github.com/modelcontextprotocol/ext-server-card/blob/main/docs/discovery.md
 * - AI Catalog 0.9, of 2026-11-22: https://github.com/Agent-Card/ai-catalog/releases/tag/v0.9.0
 * - For `legacy`: MCP Catalog, as of 2026-07-13 (commit 3b2d974 of the extension), and the path of SEP-1649.
 */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const CARD = 'application/mcp-server-card+json'
const CATALOG = 'application/ai-catalog+json'

/** Where a server's source code is. */
interface RepositoryOptions {
  /** The URL of the repository. */
  readonly url: string
  /** The host of the repository, such as `github`. */
  readonly source: string
  /** The folder of the server in the repository. @default the root */
  readonly subfolder?: string
  /** The repository's id on its host, which stays the same if the repository is renamed. @default none */
  readonly id?: string
}

/** The options of {@link serverCard}. The rest of the card comes from the server's metadata. */
export interface ServerCardOptions {
  /**
   * The reversed domain of the publisher, a slash and a name, such as `com.example/shop`. Use the server's name
   * in the MCP registry, if it has one. @default the server's own name
   */
  readonly name?: string
  /** What the server does, in 1 to 100 characters. @default the server's description */
  readonly description?: string
  /** Where the server's source code is. @default not on the card */
  readonly repository?: RepositoryOptions
  /**
   * Also serves the card at `/.well-known/mcp/server-card.json` and a catalog at `/.well-known/mcp/catalog.json`,
   * for clients of earlier drafts. @default false
   */
  readonly legacy?: boolean
}

const REPOSITORY: OptionNames<RepositoryOptions> = { url: 1, source: 1, subfolder: 1, id: 1 }
const NAMES: OptionNames<ServerCardOptions> = { name: 1, description: 1, repository: REPOSITORY, legacy: 1 }
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/
/**
 * Matches version ranges, which the schema rules out only in words:
 * https://github.com/modelcontextprotocol/ext-server-card/blob/main/schema.ts.
 */
const VERSION_RANGE = /^[\^~<>=]|(?:^|\.)[x*](?:\.|$)/i
const MAX_BYTES = 16_384

/** The specification requires these headers, because clients in browsers read the documents. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Content-Type, If-None-Match',
  'access-control-expose-headers': 'ETag',
}
const BARE = { ...CORS, allow: 'GET, HEAD, OPTIONS' }

/**
 * Publishes a server card and an AI Catalog, for the `card` option of a mount with `publicUrl`. Clients read
 * the two documents without credentials, before they connect. The documents list no tools, because lists
 * depend on the caller.
 *
 * @throws `ERR_MCP_OPTION`. Creating the mount also throws this error: without `publicUrl`, with a function
 * that chooses the server, and for a card that violates the schema or is larger than 16 KiB
 */
export function serverCard(options: ServerCardOptions = {}): ServerCard {
  checkNames(options, NAMES)
  return (mount) => joinDocuments([mount.documents, describe(options, mount)])
}

function describe(
  options: ServerCardOptions,
  { info, publicUrl, path, revisions }: DescribedMount,
): WellKnown {
  if (info === undefined)
    throw usageError('ERR_MCP_OPTION', 'The option card describes one server, so no function may choose it')
  // The URL is never taken from a request, because caches share the documents among all clients.
  if (publicUrl === undefined)
    throw usageError('ERR_MCP_OPTION', 'The option card needs publicUrl, the address that clients use')
  check('publicUrl', URL.canParse(String(publicUrl)), 'must be an absolute URL')
  const { origin, pathname } = new URL(publicUrl)
  const inner = withoutEnd(slashed(path ?? ''))
  const mcp = pathname === '/' ? inner : withoutEnd(pathname)
  const remote = { type: 'streamable-http', url: origin + mcp, supportedProtocolVersions: revisions }
  const card = { ...identityOf(options, info), remotes: [remote] }
  const [publisher = '', name = ''] = card.name.split('/')
  const identifier = `urn:air:${publisher.split('.').toReversed().join('.')}:${name}`
  const entries = [{ identifier, type: CARD, url: `${origin}${mcp}/server-card` }]
  const answerCard = answering(card, CARD)
  const documents = new Map([
    [`${mcp}/server-card`, answerCard],
    // The card is also served at the path that the app sees, because a proxy may have removed a prefix.
    [`${inner}/server-card`, answerCard],
    ['/.well-known/ai-catalog.json', answering({ specVersion: '0.9', entries }, CATALOG)],
  ])
  if (options.legacy === true)
    documents
      .set('/.well-known/mcp/server-card.json', answerCard)
      .set('/.well-known/mcp/catalog.json', answering({ specVersion: 'draft', entries }, 'application/json'))
  return {
    paths: [...documents.keys()],
    // A mount below a prefix serves only its card. The catalog is optional, and belongs to the whole site.
    elsewhere: true,
    answer: (request) => documents.get(request.path?.replace(/\/$/, '') ?? '')?.(request),
  }
}

/** Combines the documents of one mount. If two documents have the same path, the mount serves the first one. */
function joinDocuments(documents: readonly (WellKnown | undefined)[]): WellKnown {
  const found = documents.filter((each) => each !== undefined)
  return {
    paths: found.flatMap(({ paths }) => paths),
    get elsewhere() {
      return found.every(({ elsewhere }) => elsewhere)
    },
    answer(request) {
      for (const each of found) {
        const reply = each.answer(request)
        if (reply !== undefined) return reply
      }
      return undefined
    },
  }
}

function identityOf(options: ServerCardOptions, info: Implementation) {
  const { name = info.name, description = info.description ?? '', repository } = options
  const { version, title, websiteUrl, icons } = info
  check('card.name', NAME.test(name) && name.length <= 200, 'must have the form com.example/shop')
  check('card.description', isShort(description), 'must have 1 to 100 characters')
  check('card', title === undefined || isShort(title), 'needs a server title of 1 to 100 characters')
  check('card', version.length <= 255 && !VERSION_RANGE.test(version), 'needs a server version, not a range')
  const isLocated =
    repository === undefined || (URL.canParse(repository.url) && typeof repository.source === 'string')
  check('card.repository', isLocated, 'must have a url and a source')
  return { $schema: SCHEMA, name, version, description, title, websiteUrl, repository, icons }
}

function answering(document: object, type: string): (request: WellKnownRequest) => HttpReply {
  const body = JSON.stringify(document)
  const bytes = new TextEncoder().encode(body).length
  check(
    'card',
    bytes <= MAX_BYTES,
    `would have ${bytes} bytes, more than 16 KiB. Use shorter texts and icons`,
  )
  const etag = tagOf(body)
  const headers = { ...CORS, 'cache-control': 'public, max-age=3600', etag }
  const head = { status: 200, headers: { ...headers, 'content-type': type } }
  return (request) => {
    const { method } = request
    if (method === 'OPTIONS') return { status: 204, headers: BARE }
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: BARE }
    const known = request.header('if-none-match')?.split(',') ?? []
    // Middleware that compresses replies makes tags weak.
    if (known.some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))))
      return { status: 304, headers }
    return method === 'GET' ? { ...head, body } : head
  }
}

const isShort = (text: unknown): boolean =>
  typeof text === 'string' && text !== '' && Array.from(text).length <= 100
const withoutEnd = (path: string): string => path.replace(/\/+$/, '')

/** Uses FNV-1a, because digests of Web Crypto are asynchronous, and mounts are created synchronously. */
function tagOf(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `"${text.length}-${(hash >>> 0).toString(36)}"`
}
