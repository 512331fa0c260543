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
   * Where the server answers, below `prefix` and the prefixes of the parent plugins. With `legacySse` it also
   * answers at `/sse` and `/message` in the same directory.
   *
   * @default '/mcp', or '/' where `prefix` is given, which then is the whole path
   */
  readonly path?: string
  /** Fastify's own option of a plugin: the prefix of its routes. */
  readonly prefix?: string
  /** The app's own data for a request, as `ctx.locals`. Called once, after authentication. */
  readonly locals?: (request: FastifyRequest) => NoInfer<Locals>
  /**
   * Reads the caller from the request if the app has authenticated it, as `ctx.auth`. Undefined is an
   * anonymous caller. `authenticate` finds out who calls instead; set one of them.
   */
  readonly authInfo?: (request: FastifyRequest) => AuthInfo | undefined
  /**
   * Called with the handle of this mount: for its stats, or to close it before the app.
   * Closing the app closes it too.
   */
  readonly onMount?: (mount: MountHandle) => void
}

/**
 * The options of the plugin and of its endpoint. A server that declares its locals needs the option `locals`.
 */
export type McpPluginOptions<Locals = unknown, App = unknown> = PluginOptions<Locals, App> &
  (unknown extends Locals ? unknown : Required<Pick<PluginOptions<Locals, App>, 'locals'>>)

/**
 * What Fastify's own signatures of `register` ask of a server that declares its locals. No call can
 * satisfy it: the signature in `plugin.ts` takes those that are right, and the compiler reports the last
 * signature that it tried. The types are an intersection because it then reports the option that is
 * missing, and not how two servers differ.
 */
export type OptionsWithLocals = Omit<McpPluginOptions, 'server' | 'locals'> & ServerWithLocals
interface ServerWithLocals {
  readonly server: Servable<never> | ((request: FastifyRequest) => LocalsServable | Promise<LocalsServable>)
  readonly locals: (request: FastifyRequest) => 'the locals that the server declares'
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
