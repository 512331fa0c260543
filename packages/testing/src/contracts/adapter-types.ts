import type { McpServer } from '@jetway/core'
import type { AuthInfo, EndpointOptions } from '@jetway/core/http'
import type { AdapterClient } from './adapter-client.ts'

/**
 * What a host can do beyond answering on an address. Cases that need one that is not declared are not generated.
 *
 * - `headers`: something of the host's sets headers before the adapter answers
 * - `routes`: the host serves other paths beside the adapter's
 * - `parsedBody`: the host may have parsed a body before the adapter sees it
 * - `context`: the adapter has a `context` option
 * - `auth`: the host has an authentication of its own, whose finding the adapter passes on
 * - `rawHeaders`: repeats of a header can be seen as they stood on the wire
 * - `peer`: the socket's own addresses are known
 * - `legacySse`: the adapter serves the doors `/sse` and `/message`, beside an MCP path that stands at the root
 */
export type AdapterCapability =
  | 'headers'
  | 'routes'
  | 'parsedBody'
  | 'locals'
  | 'auth'
  | 'rawHeaders'
  | 'peer'
  | 'legacySse'

/** What a case asks of the host around the adapter; only ever what its subject has declared. */
export interface HostSetup {
  /** `headers`: what the host sets on every reply, before the adapter is asked. */
  readonly headers?: Readonly<Record<string, string>>
  /** `parsedBody`: the host parses bodies as JSON before the adapter is asked. */
  readonly parsesBodies?: boolean
  /** `context`: the adapter's option of this name. */
  readonly locals?: () => unknown
  /** `auth`: what the host's authentication finds. */
  readonly auth?: () => AuthInfo | undefined
}

/** An adapter that serves, on a socket of its own. */
export interface ServedAdapter {
  /** The full address of the MCP endpoint, on 127.0.0.1. With `routes`, `/echo` beside it answers a POST with its body. */
  readonly url: string
  /** Shuts the adapter down as its users would: running calls end, streams end, sessions end. */
  readonly close: () => Promise<void>
  /** Releases the socket and all connections, whatever state they are in. Called once, after every case. */
  readonly release: () => void | Promise<void>
}

/** The adapter under test. */
export interface AdapterSubject {
  readonly capabilities: readonly AdapterCapability[]
  /** Mounts the server through the adapter and listens on 127.0.0.1, on a free port. */
  readonly serve: (server: McpServer, options: EndpointOptions, host: HostSetup) => Promise<ServedAdapter>
}

/** What a case works with. */
export interface CaseContext {
  /** Mounts the server of the suite, or another one. */
  readonly serve: (options?: EndpointOptions, host?: HostSetup, server?: McpServer) => Promise<Serving>
}

/** One mount of a case, and a client of it. */
export interface Serving extends ServedAdapter {
  readonly server: McpServer
  readonly client: AdapterClient
}

/** One promise of the seam, as data: it can be run by any test runner, and against an adapter that breaks it. */
export interface AdapterCase {
  readonly name: string
  /** Undefined: every adapter must hold it. */
  readonly needs?: AdapterCapability
  /** Rejects when the adapter does not hold the promise. */
  readonly run: (context: CaseContext) => Promise<void>
}
