import type { RequestContext } from '../../call/request-context.ts'
import type { DisplayFields } from '../registry/checks.ts'

/** The callers of a tool: the model, and the user interfaces of this server. */
export type ToolAudience = 'model' | 'app'

/**
 * The user interface of a tool, for clients that have declared the extension. Others get the tool without it,
 * so its text has to say everything.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#resource-discovery
 */
export interface ToolUi {
  /** The `ui://` URI of the interface that shows the tool's results. */
  readonly resourceUri?: string
  /**
   * Tools for the interface alone are listed only for clients with the extension, which hide them from their
   * model. This is no access control: check the caller as in any tool. @default ['model', 'app']
   */
  readonly visibility?: readonly ToolAudience[]
}

/**
 * Origins that an interface may reach, such as `https://api.example.com` or
 * `https://*.example.com`. None by default.
 */
export interface AppCsp {
  /** For fetch, XMLHttpRequest and WebSocket. */
  readonly connectDomains?: readonly string[]
  /** For images, scripts, styles, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** For frames within it. */
  readonly frameDomains?: readonly string[]
  /** For its `<base>`. */
  readonly baseUriDomains?: readonly string[]
}

/** Permissions of the browser. Hosts may refuse them. */
export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** A user interface: an HTML document that the client shows in a sandbox. */
export interface AppDefinition<App = unknown, Locals = unknown> extends DisplayFields {
  /** Begins with `ui://`. */
  readonly uri: string
  readonly name: string
  /**
   * An HTML5 document. It can call this server's tools as the user: put no text of others into it, and
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
