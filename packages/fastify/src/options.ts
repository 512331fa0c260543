import type { AuthInfo, McpServer, MountHandle } from '@jetway/core'
import type { EndpointOptions, Servable } from '@jetway/core/http'
import type { OptionNames } from '@jetway/core/protocol'
import type { FastifyRequest, RegisterOptions } from 'fastify'

/** Chooses the server for a request. Undefined gives 404. */
export type McpSelector<Locals = unknown, App = unknown> = (
  request: FastifyRequest,
) => McpServer<Locals, App> | undefined | Promise<McpServer<Locals, App> | undefined>

interface PluginOptions<Locals, App> extends EndpointOptions {
  /** The server, or a function that chooses one for each session; without sessions, for each request. */
  readonly server: McpServer<Locals, App> | McpSelector<Locals, App>
  /**
   * The path at which the server answers, below `prefix` and the prefixes of the parent plugins. With
   * `legacySse` it also answers at `/sse` and `/message` in the same directory.
   *
   * @default '/mcp', or '/' if `prefix` is set, so that the prefix is the whole path
   */
  readonly path?: string
  /** Fastify's own option of a plugin: the prefix of its routes. */
  readonly prefix?: string
  /**
   * Returns the app's own data for a request, which handlers read as `ctx.locals`. Called once, after
   * authentication.
   */
  readonly locals?: (request: FastifyRequest) => NoInfer<Locals>
  /**
   * Returns the caller whom the app has already authenticated, which handlers read as `ctx.auth`. Undefined
   * means an anonymous caller. To authenticate callers in the mount instead, set `authenticate`; the two
   * options exclude each other.
   */
  readonly authInfo?: (request: FastifyRequest) => AuthInfo | undefined
  /**
   * Called with the handle of this mount, which returns its statistics and can close the mount before the
   * app. Closing the app also closes the mount.
   */
  readonly onMount?: (mount: MountHandle) => void
}

/**
 * The options of the plugin and of its endpoint. A server that declares its locals requires the option
 * `locals`.
 */
export type McpPluginOptions<Locals = unknown, App = unknown> = PluginOptions<Locals, App> &
  (unknown extends Locals ? unknown : Required<Pick<PluginOptions<Locals, App>, 'locals'>>)

/**
 * The options that Fastify's own signatures of `register` require for a server that declares its locals. No
 * call can satisfy them: correct calls match the signature in `plugin.ts`, and for all others the compiler
 * reports the last signature that it tried. It reports an unknown option first. The type is an intersection, so that it
 * then reports missing locals, or else locals of another type, instead of how two servers differ.
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
