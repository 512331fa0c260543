import type { Client } from '@jetway/client'
import type { Prompt, Resource, ResourceTemplate, Tool } from '@jetway/core/protocol'

/** The lists of a server. */
export interface Offers {
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

/** Fetches all lists that the server declares. */
export async function fetchOffers(client: Client): Promise<Offers> {
  const { tools, resources, prompts } = client.server?.capabilities ?? {}
  const none = Promise.resolve([])
  const [allTools, allResources, resourceTemplates, allPrompts] = await Promise.all([
    tools === undefined ? none : client.listTools(),
    resources === undefined ? none : client.listResources(),
    resources === undefined ? none : client.listResourceTemplates(),
    prompts === undefined ? none : client.listPrompts(),
  ])
  return { tools: allTools, resources: allResources, resourceTemplates, prompts: allPrompts }
}
