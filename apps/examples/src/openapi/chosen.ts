import { fileURLToPath } from 'node:url'
import { McpServer } from '@jetway/core'
import { openApi } from '@jetway/openapi'
import { readOpenApi } from '@jetway/openapi/file'

// #region chosen
const path = fileURLToPath(new URL('../../openapi/library.yaml', import.meta.url))
const document = await readOpenApi(path)
const operations = { 'GET /books': true, 'GET /books/{id}': true }

export const server = new McpServer({ name: 'library', version: '1.0.0' })
server.observe(
  openApi(document, { baseUrl: 'https://library.example/v1', auth: { token: 'secret' }, operations }),
)
// #endregion
