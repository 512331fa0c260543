import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { tieredEngine } from '@jetway/core/schema'
import { connect } from '@jetway/testing'
import { expect } from 'vitest'
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
  const source = openApi(document, { ...everything(document), ...options })
  server.observe(source)
  for (const { name, inputSchema } of source.tools())
    tieredEngine().input(schemaOf(inputSchema), { kind: 'tool', name, field: 'inputSchema' })
  await using client = await connect(server)
  const names = (await client.listTools()).map(({ name }) => name)
  // The server leaves out tools that are invalid.
  expect(names).toEqual(source.tools().map(({ name }) => name))
  return names
}
