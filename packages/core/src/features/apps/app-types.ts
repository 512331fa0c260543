import type { RequestContext } from '../../call/request-context.ts'
import type { DisplayFields } from '../registry/checks.ts'

/** The callers of a tool: the model, and the user interfaces of this server. */
export type ToolAudience = 'model' | 'app'

/**
 * The user interface of a tool, for clients that have declared the extension. Other clients get the tool
 * without it, so its text must be sufficient.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#resource-discovery
 */
export interface ToolUi {
  /** The `ui://` URI of the interface that shows the tool's results. */
  readonly resourceUri?: string
  /**
   * A tool for the interface alone is listed only for clients with the extension, which hide it from their
   * model. This is not access control: check the caller as in any tool. @default ['model', 'app']
   */
  readonly visibility?: readonly ToolAudience[]
}

/**
 * Origins that an interface may connect to, such as `https://api.example.com` or `https://*.example.com`. None
 * by default.
 */
export interface AppCsp {
  /** Origins for fetch, XMLHttpRequest and WebSocket. */
  readonly connectDomains?: readonly string[]
  /** Origins for images, scripts, styles, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** Origins for frames within the interface. */
  readonly frameDomains?: readonly string[]
  /** Origins for its `<base>`. */
  readonly baseUriDomains?: readonly string[]
}

/** Permissions of the browser. Hosts may refuse them. */
export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** A user interface: an HTML document that the client shows in a sandbox. */
export interface AppDefinition<App = unknown, Locals = unknown> extends DisplayFields {
  /** A URI that starts with `ui://`. */
  readonly uri: string
  readonly name: string
  /**
   * An HTML5 document. It can call this server's tools as the user, so insert no text from others into it, and
   * send data in the tools' results.
   */
  readonly html: string | ((ctx: RequestContext<App, Locals>) => string | Promise<string>)
  readonly csp?: AppCsp
  readonly permissions?: readonly AppPermission[]
  /** A dedicated origin, in the host's format. */
  readonly domain?: string
  /** Whether the host should draw a border and a background. @default up to the host */
  readonly prefersBorder?: boolean
}
