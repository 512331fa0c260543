export { innerContext } from './call/inner-context.ts'
export type { Complete, HandlerResult } from './call/result.ts'
export { BRAND, brandOf, type Relayed } from './features/registry/brand.ts'
