import type { FeatureOptions } from '../../src/features/features.ts'
import { addExtensions } from '../../src/features/extensions.ts'
import { buildTemplate } from '../../src/features/resources/resource-templates.ts'
import { subscriptionMethods } from '../../src/features/subscription-methods.ts'
import { compileAsks } from '../../src/features/tools/asks.ts'

/** What `McpServer` passes besides tasks. */
export const PARTS: Pick<
  FeatureOptions,
  'addExtensions' | 'buildTemplate' | 'compileAsks' | 'subscriptions'
> = {
  addExtensions,
  buildTemplate,
  compileAsks,
  subscriptions: subscriptionMethods,
}
