import { mkdir } from 'node:fs/promises'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { READS } from '../ports/everything/tools/hints.ts'

// #region get-sum
export function registerGetSum(server: McpServer): void {
  server.registerTool(
    'get-sum',
    {
      title: 'Get Sum Tool',
      description: 'Returns the sum of two numbers',
      inputSchema: {
        a: z.number().describe('First number'),
        b: z.number().describe('Second number'),
      },
      annotations: READS,
    },
    ({ a, b }) => ({
      content: [{ type: 'text', text: `The sum of ${a} and ${b} is ${a + b}.` }],
    }),
  )
}
// #endregion

type ValidatePath = (path: string) => Promise<string>

// #region create_directory
export function registerCreateDirectory(server: McpServer, validatePath: ValidatePath): void {
  server.registerTool(
    'create_directory',
    {
      title: 'Create Directory',
      description:
        'Create a new directory or ensure a directory exists. Can create multiple ' +
        'nested directories in one operation. If the directory already exists, ' +
        'this operation will succeed silently. Perfect for setting up directory ' +
        'structures for projects or ensuring required paths exist. Only works within allowed directories.',
      inputSchema: { path: z.string() },
      outputSchema: { content: z.string() },
      annotations: {
        readOnlyHint: false,
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
      },
    },
    async ({ path }) => {
      await mkdir(await validatePath(path), { recursive: true })
      const text = `Successfully created directory ${path}`
      return { content: [{ type: 'text', text }], structuredContent: { content: text } }
    },
  )
}
// #endregion
