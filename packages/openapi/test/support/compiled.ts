import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { tieredEngine } from '@jetway/core/schema'
import { connect } from '@jetway/testing'
import { openApi, type OpenApiOptions, survey } from '../../src/index.ts'
import { schemaOf } from './api.ts'

/** All operations, with credentials for all schemes. */
export function everything(document: object): OpenApiOptions {
  const auth = Object.fromEntries(survey(document).schemes.map((name) => [name, 'secret']))
  return { operations: () => true, baseUrl: 'https://api.invalid', maxTools: 5_000, logger: silent, auth }
}

/**
 * Adds each tool to a server and compiles its schemas, which throws for one that is invalid.
 *
 * @returns the names of the tools, as a client gets them
 */
export async function compiled(document: object, options: OpenApiOptions = {}): Promise<readonly string[]> {
  const server = new McpServer({ name: 'real', version: '1' }, { logger: silent })
  for (const tool of openApi(document, { ...everything(document), ...options }).tools()) {
    server.addTool(tool)
    tieredEngine().input(schemaOf(tool.inputSchema), { kind: 'tool', name: tool.name, field: 'inputSchema' })
  }
  await using client = await connect(server)
  return (await client.listTools()).map(({ name }) => name)
}
