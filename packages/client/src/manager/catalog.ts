import type { Prompt, Resource, ResourceTemplate, Tool } from '@jetway/core/protocol'
import type { Client } from '../client.ts'
import { ClientError } from '../errors.ts'
import type { RequestOptions } from '../options.ts'
import type { ListName } from './events.ts'
import { KeptList } from './kept-list.ts'

export interface CatalogOptions {
  /** Runs a request on the connection that there is. */
  readonly run: <T>(ask: (client: Client, options: RequestOptions) => Promise<T>) => Promise<T>
  readonly failed: (list: ListName, error: unknown) => void
}

/** What one server offers, each list as it was last seen. */
export class Catalog {
  readonly tools: KeptList<Tool>
  readonly prompts: KeptList<Prompt>
  readonly resources: KeptList<Resource>
  readonly resourceTemplates: KeptList<ResourceTemplate>

  constructor({ run, failed }: CatalogOptions) {
    const kept = <Item>(
      list: ListName,
      ask: (client: Client, options: RequestOptions) => Promise<readonly Item[]>,
    ): KeptList<Item> =>
      new KeptList(
        () => run(ask).catch(noneOffered),
        (error) => failed(list, error),
      )
    this.tools = kept('tools', (client, options) => client.listTools(options))
    this.prompts = kept('prompts', (client, options) => client.listPrompts(options))
    this.resources = kept('resources', (client, options) => client.listResources(options))
    this.resourceTemplates = kept('resourceTemplates', (client, options) =>
      client.listResourceTemplates(options),
    )
  }

  /** After a gap in what the server could tell. */
  outdateAll(): void {
    for (const list of [this.tools, this.prompts, this.resources, this.resourceTemplates]) list.outdate()
  }
}

/** A server that does not have such a list has nothing on it. */
function noneOffered(error: unknown): readonly never[] {
  if (error instanceof ClientError && error.code === 'not-offered') return []
  throw error
}
