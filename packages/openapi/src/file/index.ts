export { parseOpenApi } from './parse.ts'
export { readOpenApi, type ReadOptions } from './read-open-api.ts'
