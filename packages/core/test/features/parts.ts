import type { FeatureParts } from '../../src/features/features.ts'
import { addExtensions } from '../../src/features/extensions.ts'
import { buildTemplate } from '../../src/features/resources/resource-templates.ts'
import { checkMembers } from '../../src/features/members.ts'
import { subscriptionMethods } from '../../src/features/subscription-methods.ts'
import { compileAsks } from '../../src/features/tools/asks.ts'

export const PARTS: FeatureParts = {
  addExtensions,
  buildTemplate,
  checkMembers,
  compileAsks,
  subscriptionMethods,
}
