export { zod3 } from './schema/zod3.ts'
export type { Zod3Schema } from './schema/zod3-types.ts'
