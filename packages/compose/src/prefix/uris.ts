import { UsageError } from '@jetway/core'
import { isObject, type JsonObject } from '@jetway/core/protocol'

const APP = 'ui://'
/** Addresses that clients open themselves, unless the source lists them. */
const WEB = /^https?:/i

/** How a prefix changes addresses. */
export interface Addresses {
  /** Returns the address or template for clients. */
  readonly outward: (uri: string) => string
  /** Returns the address that the source knows. */
  readonly inward: (uri: string) => string
  /** Returns the address for clients if the source may serve the one in a result. */
  readonly inResult: (uri: string, isListed: (uri: string) => boolean) => string
}

/**
 * User interfaces get another address with every prefix, because hosts require their scheme. All other addresses
 * change only with the `uris` option.
 *
 * @param all - whether addresses of other schemes change too
 */
export function addressesOf(name: string, all: boolean): Addresses {
  const app = `${APP}${name}+`
  const scheme = `${name}+`
  const outward = (uri: string): string => {
    if (uri.startsWith(APP)) return app + uri.slice(APP.length)
    return all ? scheme + uri : uri
  }
  return {
    outward,
    inward: (uri) => {
      if (uri.startsWith(app)) return APP + uri.slice(app.length)
      return all && uri.startsWith(scheme) ? uri.slice(scheme.length) : uri
    },
    inResult: (uri, isListed) => (WEB.test(uri) && !isListed(uri) ? uri : outward(uri)),
  }
}

/** https://www.rfc-editor.org/rfc/rfc3986#section-3.1, without the dot, which agents read as the end of a name. */
const SCHEME = /^[A-Za-z][A-Za-z0-9-]*$/

/** @throws `ERR_MCP_COMPOSE` for a prefix that cannot begin a URI scheme */
export function checkScheme(name: string): void {
  if (SCHEME.test(name)) return
  throw new UsageError(
    'ERR_MCP_COMPOSE',
    `The prefix ${JSON.stringify(name)} cannot begin a URI scheme, as { uris: true } needs: use letters, digits and "-", and begin with a letter`,
  )
}

/** Changes the addresses in the `_meta` of a tool with a user interface. */
export function metaWith(meta: JsonObject | undefined, map: (uri: string) => string): JsonObject | undefined {
  if (!isObject(meta)) return meta
  const { ui, 'ui/resourceUri': flat } = meta
  return {
    ...meta,
    ...(isObject(ui) && { ui: uiWith(ui, map) }),
    ...(typeof flat === 'string' && { 'ui/resourceUri': map(flat) }),
  }
}

export function uiWith<Ui extends object>(ui: Ui, map: (uri: string) => string): Ui {
  const { resourceUri } = ui as JsonObject
  return typeof resourceUri === 'string' ? { ...ui, resourceUri: map(resourceUri) } : ui
}

/** Changes the addresses of the links and embedded resources in a list of blocks. */
export const blocksWith = (blocks: readonly unknown[], map: (uri: string) => string): readonly unknown[] =>
  blocks.map((block) => {
    if (!isObject(block)) return block
    const { type, uri, resource } = block
    if (type === 'resource_link' && typeof uri === 'string') return { ...block, uri: map(uri) }
    return type === 'resource' ? { ...block, resource: contentWith(resource, map) } : block
  })

export function contentWith(content: unknown, map: (uri: string) => string): unknown {
  if (!isObject(content) || typeof content['uri'] !== 'string') return content
  return { ...content, uri: map(content['uri']) }
}

/** Changes the addresses in a result of any kind, in the form of the protocol. */
export function resultWith(result: JsonObject, map: (uri: string) => string): JsonObject {
  const { content, contents, messages } = result
  return {
    ...result,
    ...(Array.isArray(content) && { content: blocksWith(content, map) }),
    ...(Array.isArray(contents) && { contents: contents.map((item) => contentWith(item, map)) }),
    ...(Array.isArray(messages) && { messages: messages.map((message) => messageWith(message, map)) }),
  }
}

export function messageWith(message: unknown, map: (uri: string) => string): unknown {
  if (!isObject(message)) return message
  return { ...message, content: blocksWith([message['content']], map)[0] }
}
