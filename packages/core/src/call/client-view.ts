import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'

/** What is known of the other side. Nothing here is authenticated. */
export interface ClientView {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** Whether the client declared a capability, for example `elicitation` or `sampling.tools`. */
  supports(capability: string): boolean
  /**
   * The settings with which the client declared an extension, by its id; undefined where it has not, and what the
   * extension adds is of no use to it.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   */
  extension(id: string): JsonObject | undefined
}

/** What a client says of itself, in `initialize` or with each request, as handlers see it. */
export const clientView = (info: Implementation | undefined, capabilities: ClientCapabilities): ClientView =>
  new StatedClient(info, capabilities)

/** A class, since one is made for every request that stands for itself. */
class StatedClient implements ClientView {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities

  constructor(info: Implementation | undefined, capabilities: ClientCapabilities) {
    this.info = info
    this.capabilities = capabilities
  }

  supports(capability: string): boolean {
    let at: unknown = this.capabilities
    for (const key of capability.split('.')) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false
      at = (at as Record<string, unknown>)[key]
    }
    return at !== undefined && at !== null && at !== false
  }

  extension(id: string): JsonObject | undefined {
    const { extensions } = this.capabilities
    if (!isObject(extensions) || !Object.hasOwn(extensions, id)) return undefined
    const settings = extensions[id]
    return isObject(settings) ? settings : undefined
  }
}
