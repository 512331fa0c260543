import type { RequestContext } from '../../call/request-context.ts'
import type { DisplayFields } from '../registry/checks.ts'

/** Who can call a tool: the model, or the user interfaces of this server. */
export type ToolAudience = 'model' | 'app'

/**
 * A tool's user interface, for clients that have declared the extension. Other clients receive the tool without
 * its interface, so its results must also be understandable as plain text.
 *
 * @see
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#resource-discovery
 */
export interface ToolUi {
  /** The `ui://` URI of the interface that shows the tool's results. */
  readonly resourceUri?: string
  /**
   * Who can call the tool. A tool that only the interface may call is listed only for clients that have
   * declared the extension. Those clients hide the tool from their model. This is not access control: check the
   * caller as in any tool.
   * @default ['model', 'app']
   */
  readonly visibility?: readonly ToolAudience[]
}

/**
 * Origins that an interface may connect to, such as `https://api.example.com` or `https://*.example.com`. By default,
 * an interface may not connect to any origin.
 */
export interface AppCsp {
  /** Origins for fetch, XMLHttpRequest and WebSocket. */
  readonly connectDomains?: readonly string[]
  /** Origins for images, scripts, styles, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** Origins that the view may load in nested frames. */
  readonly frameDomains?: readonly string[]
  /** Origins for the interface's `<base>` element. */
  readonly baseUriDomains?: readonly string[]
}

/** Browser permissions, which the client may deny. */
export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** A user interface: an HTML document that the client shows in a sandbox. */
export interface AppDefinition<App = unknown, Locals = unknown> extends DisplayFields {
  /** A URI that starts with `ui://`. */
  readonly uri: string
  readonly name: string
  /**
   * An HTML5 document. It can call this server's tools as the user, so do not insert untrusted text. Send data
   * in the tools' results instead.
   */
  readonly html: string | ((ctx: RequestContext<App, Locals>) => string | Promise<string>)
  readonly csp?: AppCsp
  readonly permissions?: readonly AppPermission[]
  /** A dedicated origin, in the format of the client. */
  readonly domain?: string
  /** Whether the client should draw a border and a background. @default the client's choice */
  readonly prefersBorder?: boolean
}
