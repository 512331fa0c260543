import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Era, Revision } from '../protocol/revisions/revision.ts'
import type { ClientView, RequestContext } from './request-context.ts'
import type { ExtensionEntry } from './method-table.ts'

/** Handles a method defined by an extension. Errors that it throws are handled like those of other handlers. */
export type ExtensionMethod<App = unknown, Locals = unknown> = (
  params: JsonObject,
  ctx: RequestContext<App, Locals>,
) => object | Promise<object>

/** An extension of the protocol. */
export interface Extension<App = unknown, Locals = unknown> {
  /**
   * The author and name of the extension, for example `com.example/search`, in the grammar of `_meta` keys. The
   * prefix is required.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   */
  readonly id: string
  /** The settings that clients receive, as plain JSON. A function is called each time. @default {} */
  readonly settings?: object | (() => object)
  /**
   * The extension's methods, keyed by name. A result is sent unchanged, with its `resultType`, or with
   * `complete` if it has none. The server's limits, middleware and error handling also apply to these
   * methods.
   */
  readonly methods?: Readonly<Record<string, ExtensionMethod<App, Locals>>>
  /**
   * The notifications that the server sends with `server.notify.extension`, keyed by method, such as
   * `notifications/com.example/search/ready`. @default none
   */
  readonly notifications?: readonly string[]
  /** The names of the parameters that the HTTP header `Mcp-Name` repeats, keyed by method. @default none */
  readonly names?: Readonly<Record<string, string>>
  /** Whether the methods serve only clients that declare the extension, or all clients. @default 'declaring' */
  readonly clients?: 'declaring' | 'all'
  /**
   * The eras in which the extension is available. Session revisions are possible if the extension's
   * specification allows them.
   * @default ['modern']
   */
  readonly eras?: readonly Era[]
}

/** The notifications of one extension. */
interface ExtensionNotices {
  readonly methods: ReadonlySet<string>
  /** Whether a client may receive these notifications. */
  servesClient(revision: Revision, client: ClientView): boolean
}

/** All extensions of a server. */
export interface ExtensionTable {
  readonly ids: ReadonlySet<string>
  readonly methods: ReadonlyMap<string, ExtensionEntry>
  /** The parameters that the header `Mcp-Name` repeats, keyed by method. */
  readonly names: ReadonlyMap<string, string>
  /** The extensions with notifications, keyed by id. */
  readonly notices: ReadonlyMap<string, ExtensionNotices>
  /** The capability `extensions` for clients that use a revision; undefined if the revision has no extensions. */
  declared(revision: Revision): JsonObject | undefined
}

export const NO_EXTENSIONS: ExtensionTable = {
  ids: new Set(),
  methods: new Map(),
  names: new Map(),
  notices: new Map(),
  declared: () => undefined,
}
