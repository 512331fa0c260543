import type { McpServer } from '@jetway/core'
import type { AuthInfo, EndpointOptions } from '@jetway/core/http'
import type { AdapterClient } from './client.ts'

/**
 * A feature that a host may support. A case runs only if its capability is declared.
 *
 * - `headers`: the host can set headers before the adapter replies
 * - `routes`: the host also serves other paths
 * - `parsedBody`: the host may parse a body before the adapter sees it
 * - `locals`: the adapter has a `locals` option
 * - `auth`: the host authenticates, and the adapter passes on its auth info
 * - `rawHeaders`: the host provides repeated headers as they were sent
 * - `peer`: the host provides the socket's addresses
 * - `pipelining`: the host passes on a request before the replies to earlier requests on the connection are
 *   complete
 * - `legacySse`: the adapter serves `/sse` and `/message` if the MCP path is at the root
 * - `documents`: the adapter serves the public documents of its endpoint
 * - `prefix`: the host can mount the adapter below a path, and it serves documents too
 */
export type AdapterCapability =
  | 'headers'
  | 'routes'
  | 'parsedBody'
  | 'locals'
  | 'auth'
  | 'rawHeaders'
  | 'peer'
  | 'pipelining'
  | 'legacySse'
  | 'documents'
  | 'prefix'

/** How a case configures the host. It may use only the declared capabilities. */
export interface HostSetup {
  /** For `headers`: the host sets these headers on every reply before the adapter runs. */
  readonly headers?: Readonly<Record<string, string>>
  /** For `parsedBody`: the host parses JSON bodies before the adapter runs. */
  readonly parsesBodies?: boolean
  /** For `locals`: the adapter's `locals` option. */
  readonly locals?: () => unknown
  /** For `auth`: the result of the host's authentication. */
  readonly auth?: () => AuthInfo | undefined
  /**
   * For `prefix`: the path below which the host mounts the adapter. If the option `authenticate` has documents,
   * the host serves them at its root.
   */
  readonly prefix?: string
}

/** An adapter that listens on its own socket. */
export interface ServedAdapter {
  /**
   * The full URL of the MCP endpoint, on 127.0.0.1. With `documents`, its path is `/mcp`, below the prefix. With `routes`, `/echo` replies to a POST with the request's
   * body.
   */
  readonly url: string
  /** Closes the adapter as its users would, which ends running calls, streams and sessions. */
  readonly close: () => Promise<void>
  /** Releases the socket, and closes all connections in any state. Called once after every case. */
  readonly release: () => void | Promise<void>
}

/** The adapter under test. */
export interface AdapterSubject {
  readonly capabilities: readonly AdapterCapability[]
  /** Mounts the server through the adapter, and listens on a free port of 127.0.0.1. */
  readonly serve: (server: McpServer, options: EndpointOptions, host: HostSetup) => Promise<ServedAdapter>
}

/** The functions and objects that a case can use. */
export interface CaseContext {
  /** Mounts the default server, or the given one. */
  readonly serve: (options?: EndpointOptions, host?: HostSetup, server?: McpServer) => Promise<Serving>
}

/** A mount, and a client for it. */
export interface Serving extends ServedAdapter {
  readonly server: McpServer
  readonly client: AdapterClient
}

/** One rule for adapters, written as data, so that any test runner can run it. */
export interface AdapterCase {
  readonly name: string
  /** The capability that the case requires. If it is undefined, the case applies to every adapter. */
  readonly needs?: AdapterCapability
  /** Rejects if the adapter breaks the rule. */
  readonly run: (context: CaseContext) => Promise<void>
}
