import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { McpServer } from '@jetway/core'
import { openApi } from '@jetway/openapi'
import { readOpenApi } from '@jetway/openapi/file'
import { operations } from './operations.ts'

// #region whole
const { LIBRARY_URL = 'https://library.example/v1', LIBRARY_TOKEN = '' } = process.env
const document = await readOpenApi(fileURLToPath(new URL('../../openapi/library.yaml', import.meta.url)))

export const server = new McpServer({ name: 'library', version: '1.0.0' })
server.observe(openApi(document, { baseUrl: LIBRARY_URL, auth: { token: LIBRARY_TOKEN }, operations }))
// #endregion

// #region caller
export const forCallers = openApi(document, {
  baseUrl: LIBRARY_URL,
  auth: { token: (ctx) => tokens.get(ctx.auth?.principal ?? '') },
  operations,
})
// #endregion

const tokens = new Map([['ada', 'secret-of-ada']])

// #region pages
export const withPages = openApi(document, {
  baseUrl: LIBRARY_URL,
  auth: { token: LIBRARY_TOKEN },
  operations,
  paginate: { list_books: { items: 'books', cursor: 'next', parameter: 'cursor', max: 200 } },
})
// #endregion

// #region function
export const readers = openApi(document, {
  baseUrl: LIBRARY_URL,
  auth: { token: LIBRARY_TOKEN },
  tags: ['books'],
  operations: ({ method, path }) => (method !== 'get' ? false : path.includes('{') ? 'resource' : 'tool'),
  names: { listBooks: 'find_books' },
})
// #endregion
