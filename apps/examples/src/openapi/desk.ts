import { createRequire } from 'node:module'
import process from 'node:process'
import { change, joinInstructions, prefix, sourceOf } from '@jetway/compose'
import { McpServer, ToolError } from '@jetway/core'
import { openApi } from '@jetway/openapi'
import { readOpenApi } from '@jetway/openapi/file'
import { z } from 'zod'

// #region child
const files = new Map([['checkout', 'hX8w2']])

export const projects = new McpServer(
  { name: 'projects', title: 'Projects', version: '1.0.0' },
  { instructions: 'Find the file of a project before you read or write comments.' },
)
projects.addTool({
  name: 'find_file',
  description: "Finds the key of a project's Figma file",
  inputSchema: z.object({ project: z.string() }),
  outputSchema: z.object({ file: z.string() }),
  annotations: { readOnlyHint: true },
  handler: ({ project }) => {
    const file = files.get(project)
    if (file === undefined) throw new ToolError(`There is no project ${project}`)
    return { file }
  },
})
// #endregion

// #region api
const { FIGMA_TOKEN = '' } = process.env
const require = createRequire(import.meta.url)
const document = await readOpenApi(require.resolve('@figma/rest-api-spec/openapi/openapi.yaml'))

const figma = openApi(document, {
  auth: { PersonalAccessToken: FIGMA_TOKEN },
  baseUrl: 'https://api.figma.com',
  operations: {
    'GET /v1/files/{file_key}/meta': true,
    'GET /v1/files/{file_key}/comments': true,
    'POST /v1/files/{file_key}/comments': true,
  },
})
// #endregion

// #region view
interface Comments {
  readonly comments: readonly { readonly message: string; readonly user: { readonly handle: string } }[]
}

const file = { name: 'file', description: 'The key of the file, from projects_find_file' }

const reviews = change(figma, {
  tools: {
    get_file_meta: { args: { file_key: file } },
    get_comments: {
      description: 'Lists who said what about a file',
      args: { file_key: file, as_md: { hide: true, value: true } },
      result: ({ structured }) =>
        (structured as Comments).comments.map(({ user, message }) => `${user.handle}: ${message}`).join('\n'),
    },
    post_comment: { args: { file_key: file, client_meta: { hide: true } } },
  },
})
// #endregion

// #region desk
const sources = [prefix('projects', sourceOf(projects)), prefix('figma', reviews)]

export const desk = new McpServer(
  { name: 'desk', version: '1.0.0' },
  { instructions: joinInstructions('You help designers with their reviews.', sources) },
)
for (const source of sources) desk.observe(source)
// #endregion
