import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Era, Revision } from '../protocol/revisions/revision.ts'
import type { RequestContext } from './request-context.ts'
import type { ExtensionEntry } from './method-table.ts'

/** Answers a method of an extension. What it throws is treated as what a handler throws. */
export type ExtensionMethod<App = unknown, Locals = unknown> = (
  params: JsonObject,
  ctx: RequestContext<App, Locals>,
) => object | Promise<object>

/** What a server offers beyond the protocol, under a name that clients can declare too. */
export interface Extension<App = unknown, Locals = unknown> {
  /**
   * Who defines it and what it is called, such as `com.example/search`, by the grammar of `_meta` keys; the prefix must
   * be there.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   */
  readonly id: string
  /** What clients are told of it: plain JSON. A function is asked each time. @default {} */
  readonly settings?: object | (() => object)
  /**
   * What it adds to the protocol, by wire name. The result is sent as it is, with the `resultType` that it names,
   * `complete` where it names none. The limits, middleware and errors of the server count for these methods too.
   */
  readonly methods?: Readonly<Record<string, ExtensionMethod<App, Locals>>>
  /** The parameter that `Mcp-Name` has to repeat over HTTP, by method. @default none */
  readonly names?: Readonly<Record<string, string>>
  /** Whether its methods serve only the clients that have declared it, or everyone. @default 'declaring' */
  readonly clients?: 'declaring' | 'all'
  /**
   * The eras in which there is such an extension. Capabilities of session revisions are open, so that an extension may
   * be told of there too; it is up to its own text. @default ['modern']
   */
  readonly eras?: readonly Era[]
}

/** What all extensions of a server come to. */
export interface ExtensionTable {
  readonly ids: ReadonlySet<string>
  readonly methods: ReadonlyMap<string, ExtensionEntry>
  /** The parameter that `Mcp-Name` repeats, by method. */
  readonly names: ReadonlyMap<string, string>
  /** What clients of a revision are told; undefined where there is nothing to tell. */
  declared(revision: Revision): JsonObject | undefined
}

export const NO_EXTENSIONS: ExtensionTable = {
  ids: new Set(),
  methods: new Map(),
  names: new Map(),
  declared: () => undefined,
}
