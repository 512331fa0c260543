import type { AuthInfo, McpServer, MountHandle } from '@jetway/core'
import type { EndpointOptions, Servable } from '@jetway/core/http'
import type { OptionNames } from '@jetway/core/protocol'
import type { FastifyRequest, RegisterOptions } from 'fastify'

/** Chooses the server for a request. If it returns undefined, the request is refused with 404. */
export type McpSelector<Locals = unknown, App = unknown> = (
  request: FastifyRequest,
) => McpServer<Locals, App> | undefined | Promise<McpServer<Locals, App> | undefined>

interface PluginOptions<Locals, App> extends EndpointOptions {
  /**
   * The server, or a function that chooses a server for each session (or, without sessions, for each request).
   */
  readonly server: McpServer<Locals, App> | McpSelector<Locals, App>
  /**
   * The path that the server handles, relative to `prefix` and the prefixes of the parent plugins. With
   * `legacySse`, the server also handles `/sse` and `/message` in the same directory.
   *
   * @default '/mcp', or '/' if `prefix` is set, so that the prefix is the full path
   */
  readonly path?: string
  /** Fastify's own option for plugins: the prefix of the plugin's routes. */
  readonly prefix?: string
  /**
   * Returns the app's own data for a request, available to handlers as `ctx.locals`. Called once, after
   * authentication.
   */
  readonly locals?: (request: FastifyRequest) => NoInfer<Locals>
  /**
   * Returns the caller that the app has already authenticated, available to handlers as `ctx.auth`. Undefined
   * means an anonymous caller. To authenticate callers in the mount instead, set `authenticate`; the two
   * options exclude each other.
   */
  readonly authInfo?: (request: FastifyRequest) => AuthInfo | undefined
  /**
   * Called with this mount's handle. The handle returns the mount's statistics, and can close the mount before
   * the app. Closing the app also closes the mount.
   */
  readonly onMount?: (mount: MountHandle) => void
}

/**
 * The options of the plugin and of its endpoint. `locals` is required if the server declares the type of
 * `ctx.locals`.
 */
export type McpPluginOptions<Locals = unknown, App = unknown> = PluginOptions<Locals, App> &
  (unknown extends Locals ? unknown : Required<Pick<PluginOptions<Locals, App>, 'locals'>>)

/**
 * The options that Fastify's own `register` signatures require for a server that declares its locals. No call
 * can satisfy them. Correct calls match the signature in `plugin.ts`, so for all other calls the compiler
 * reports the last signature that it has tried. It first reports unknown options. Then, because the type is
 * an intersection, it reports missing locals or locals of the wrong type rather than the differences between
 * two servers.
 */
export type OptionsWithLocals = Omit<McpPluginOptions, 'server' | 'locals'> &
  ServerWithLocals &
  DeclaredLocals
interface ServerWithLocals {
  readonly server: Servable<never> | ((request: FastifyRequest) => LocalsServable | Promise<LocalsServable>)
  readonly locals: (request: FastifyRequest) => unknown
}
interface DeclaredLocals {
  readonly 'locals of the type that the server declares': never
}
type LocalsServable = Servable<never> | undefined

export const OWN_OPTIONS: OptionNames<Omit<McpPluginOptions, keyof EndpointOptions> & RegisterOptions> = {
  server: 1,
  path: 1,
  locals: 1,
  authInfo: 1,
  onMount: 1,
  prefix: 1,
  logLevel: 1,
  logSerializers: 1,
}
