import type { ClientCapabilities, Implementation } from '../protocol/types.ts'

/** What is known of the other side. Nothing here is authenticated. */
export interface ClientView {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities
  /** Whether the client declared a capability, for example `elicitation` or `sampling.tools`. */
  supports(capability: string): boolean
}

/** The facts of `initialize` as handlers see them. */
export function clientView(info: Implementation | undefined, capabilities: ClientCapabilities): ClientView {
  return {
    info,
    capabilities,
    supports: (capability) => {
      let at: unknown = capabilities
      for (const key of capability.split('.')) {
        if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false
        at = (at as Record<string, unknown>)[key]
      }
      return at !== undefined && at !== null && at !== false
    },
  }
}
