import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'

/** The client as it describes itself. Nothing here is authenticated. */
export class ClientView {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities

  constructor(info: Implementation | undefined, capabilities: ClientCapabilities) {
    this.info = info
    this.capabilities = capabilities
  }

  /** Whether the client declared a capability, for example `elicitation` or `sampling.tools`. */
  supports(capability: string): boolean {
    let at: unknown = this.capabilities
    for (const key of capability.split('.')) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false
      at = (at as Record<string, unknown>)[key]
    }
    return at !== undefined && at !== null && at !== false
  }

  /**
   * Returns the settings of an extension that the client declared, by its id. Returns undefined if the client
   * did not declare the extension, and so does not understand what it adds.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   */
  extension(id: string): JsonObject | undefined {
    const { extensions } = this.capabilities
    if (!isObject(extensions) || !Object.hasOwn(extensions, id)) return undefined
    const settings = extensions[id]
    return isObject(settings) ? settings : undefined
  }
}
