import type { SchemaCache } from '@jetway/core/schema-cache'
declare const schemas: SchemaCache
export default schemas
