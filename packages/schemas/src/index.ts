export { readSchemas, readSchemasOrEmpty, type ReadSchemasOptions } from './read-schemas.ts'
export { writeSchemas } from './write-schemas.ts'
