import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import type { RequestContext } from '../../call/request-context.ts'
import { invalid, type Subject } from '../registry/checks.ts'
import { defineResource, type OfKind } from '../define.ts'
import { CONNECT, type Connected, type OfferingExtension } from '../extensions.ts'
import { OutputError } from '../content/protocol-results.ts'
import { contents, type ResourceResult } from '../resources/resource-contents.ts'
import type { ResourceDefinition } from '../resources/resource-types.ts'
import { APP_MEDIA_TYPE, APPS_EXTENSION, checkAppUri, createToolUi } from './tool-ui.ts'
import type { AppCsp, AppDefinition } from './app-types.ts'

/**
 * Creates the extension for tools with user interfaces, for the `extensions` option. Clients that have
 * declared `text/html;profile=mcp-app` receive the tools' `ui` in every revision.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export function apps(): OfferingExtension {
  const extension: OfferingExtension = { id: APPS_EXTENSION, eras: ['modern', 'legacy'] }
  const connected: OfferingExtension & Connected = {
    ...extension,
    [CONNECT]: () => ({ ...extension, ui: createToolUi() }),
  }
  return connected
}

/**
 * Creates a user interface as a resource, for `server.add` or `server.addResource`.
 *
 * @throws UsageError `ERR_MCP_INVALID_DEFINITION`
 */
export function app<App = unknown, Locals = unknown>(
  definition: AppDefinition<App, Locals>,
): ResourceDefinition<App, Locals> & OfKind<'resource'> {
  const { html, csp, permissions, domain, prefersBorder, _meta, ...shown } = definition
  const subject = { kind: 'app', name: String(shown.uri) }
  checkAppUri(subject, shown.uri)
  if (typeof html !== 'string' && typeof html !== 'function')
    throw invalid(subject, 'needs a string or a function as its html')
  const ui = clean({
    csp: checkCsp(subject, csp),
    permissions: checkPermissions(subject, permissions),
    domain: check(subject, 'domain', 'string', domain),
    prefersBorder: check(subject, 'prefersBorder', 'boolean', prefersBorder),
  })
  const meta = Object.keys(ui).length === 0 ? {} : { _meta: { ui } }
  const toContents = (text: unknown): ResourceResult => {
    if (typeof text !== 'string') throw new OutputError(`The html of the app ${shown.uri} was to be a string`)
    return contents([{ text, ...meta }])
  }
  return defineResource<App, Locals>({
    ...shown,
    mimeType: APP_MEDIA_TYPE,
    ...((_meta !== undefined || meta._meta !== undefined) && { _meta: { ..._meta, ...meta._meta } }),
    handler: (_args, ctx: RequestContext<App, Locals>) =>
      typeof html === 'string' ? toContents(html) : Promise.resolve(html(ctx)).then(toContents),
  })
}

const clean = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Matches only origins. Clients copy them into a security policy, where other text could add directives. */
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i
const DIRECTIVES: readonly (keyof AppCsp)[] = [
  'connectDomains',
  'resourceDomains',
  'frameDomains',
  'baseUriDomains',
]
const PERMISSIONS: readonly unknown[] = ['camera', 'microphone', 'geolocation', 'clipboardWrite']

function checkCsp(subject: Subject, csp: unknown): JsonObject | undefined {
  if (csp === undefined) return undefined
  if (!isObject(csp)) throw invalid(subject, 'needs an object as its csp')
  for (const [directive, origins] of Object.entries(csp)) {
    if (!(DIRECTIVES as readonly string[]).includes(directive))
      throw invalid(subject, `knows no csp.${directive}; choose from ${DIRECTIVES.join(', ')}`)
    if (origins === undefined) continue
    if (!Array.isArray(origins) || !origins.every((it) => typeof it === 'string' && ORIGIN.test(it)))
      throw invalid(
        subject,
        `needs an array of origins, such as "https://api.example.com", as its csp.${directive}`,
      )
  }
  return structuredClone(clean(csp))
}

/**
 * Converts a list of permissions to the format defined by the extension: an object with an empty object for
 * each permission.
 */
function checkPermissions(subject: Subject, permissions: unknown): JsonObject | undefined {
  if (permissions === undefined) return undefined
  if (Array.isArray(permissions) && permissions.every((it) => PERMISSIONS.includes(it)))
    return Object.fromEntries(permissions.map((it) => [it as string, {}]))
  throw invalid(subject, `needs an array of ${PERMISSIONS.join(', ')} as its permissions`)
}

function check(subject: Subject, member: string, type: 'string' | 'boolean', value: unknown): unknown {
  if (value === undefined || typeof value === type) return value
  throw invalid(subject, `needs a ${type} as its ${member}`)
}
