import type { RequestContext } from '../../call/request-context.ts'
import type { DisplayFields } from '../registry/checks.ts'

/** Who may call a tool: the model, the user interface of this very server, or both. */
export type ToolAudience = 'model' | 'app'

/**
 * How a tool goes with a user interface. Shown to clients that have declared that they show such interfaces; to others
 * the tool is one like any other, and its text has to say everything.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#resource-discovery
 */
export interface ToolUi {
  /** The `ui://` address of what shows the tool's results. */
  readonly resourceUri?: string
  /**
   * A tool that is for the interface alone is offered only to clients that keep it from their model. That is no access
   * control: check who may call it as for any tool. @default ['model', 'app']
   */
  readonly visibility?: readonly ToolAudience[]
}

/** Origins that an interface may reach, such as `https://api.example.com` or `https://*.example.com`. None by default. */
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

/** What an interface asks the browser for. Hosts may refuse. */
export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** A user interface: one HTML document, which the client shows in a sandbox. */
export interface AppDefinition<App = unknown, Locals = unknown> extends DisplayFields {
  /** Begins with `ui://`. */
  readonly uri: string
  readonly name: string
  /**
   * A whole HTML5 document. It can call this server's tools as the user: put no foreign text into it, and send data in
   * the tools' results.
   */
  readonly html: string | ((ctx: RequestContext<App, Locals>) => string | Promise<string>)
  readonly csp?: AppCsp
  readonly permissions?: readonly AppPermission[]
  /** A dedicated origin, in the form that the host asks for. */
  readonly domain?: string
  /** Whether the host should draw a border and a background. @default up to the host */
  readonly prefersBorder?: boolean
}
