export type { Zod3Schema } from './types.ts'
export { zod3 } from './zod3.ts'
