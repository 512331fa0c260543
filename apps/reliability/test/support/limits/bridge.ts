import { hostTools, openAiCallOutput, openAiChatTools, anthropicTools, toHostResult } from '@jetway/bridge'
import type { Tool } from '@jetway/core/protocol'
import { expect } from 'vitest'
import { type Limit, list } from './row.ts'

/** Converts a server's tool for OpenAI's models. */
async function forOpenAi(tool: Partial<Tool>, server = 's') {
  const given: Tool = { name: 'a', inputSchema: { type: 'object' }, ...tool }
  const source = {
    tools: () => Promise.resolve([{ server, name: given.name, tool: given }]),
    callTool: () => Promise.resolve({ content: [] }),
  }
  const { tools } = await openAiChatTools(await hostTools(source))
  return tools[0]?.function
}

/**
 * Converts a tool with an argument name of `length` characters for Anthropic's models. Returns the length of
 * the converted name.
 */
async function argument(length: number): Promise<unknown> {
  const inputSchema = { type: 'object' as const, properties: { ['x'.repeat(length)]: { type: 'string' } } }
  const source = {
    tools: () => Promise.resolve([{ server: 's', name: 'a', tool: { name: 'a', inputSchema } }]),
    callTool: () => Promise.resolve({ content: [] }),
  }
  const { tools } = await anthropicTools(await hostTools(source))
  const properties = tools[0]?.input_schema['properties']
  return Object.keys(properties ?? {})[0]?.length
}

const SUFFIX = ' (MCP server: s)'.length

/** Converts a PDF file whose name has `length` characters for OpenAI. Returns the output. */
function fileName(length: number): unknown {
  const data = Buffer.from('%PDF-1.7\n').toString('base64')
  const uri = `a://b/${'x'.repeat(length - '.pdf'.length)}.pdf`
  const resource = { uri, mimeType: 'application/pdf', blob: data }
  const { output } = openAiCallOutput('1', toHostResult({ content: [{ type: 'resource', resource }] }))
  return output
}

const texts = (...lengths: number[]) => ({
  content: lengths.map((length) => ({ type: 'text' as const, text: 'x'.repeat(length) })),
})

export const BRIDGE: readonly Limit[] = [
  {
    limit: 'characters of the name of a tool',
    most: 64,
    use: async (length) => (await forOpenAi({ name: 'x'.repeat(length) }))?.name,
    accepted: 'x'.repeat(64),
    refused: expect.not.stringMatching(/^x+$/),
  },
  {
    limit: 'characters of a description, with its server',
    most: 1_024,
    use: async (length) => (await forOpenAi({ description: 'x'.repeat(length - SUFFIX) }))?.description,
    accepted: expect.stringMatching(/^x+ \(MCP server: s\)$/),
    refused: expect.stringMatching(/^x+… \(MCP server: s\)$/),
  },
  {
    limit: 'characters of the name of a server in a description',
    most: 64,
    use: async (length) => (await forOpenAi({}, `${'x'.repeat(length - 1)}y`))?.description,
    accepted: expect.stringContaining('xy)'),
    refused: expect.stringContaining('xx)'),
  },
  { limit: 'characters of the name of an argument', most: 64, use: argument, accepted: 64, refused: 56 },
  {
    limit: 'characters of the name of a file',
    most: 255,
    use: fileName,
    accepted: [{ filename: expect.stringMatching(/^x+\.pdf$/) }],
    refused: [{ filename: 'document.pdf' }],
  },
  {
    limit: 'maxText of a result',
    most: 10,
    use: (length) => toHostResult(texts(5, length - 5), { maxText: 10 }).text,
    accepted: 'xxxxx\nxxxxx',
    refused: expect.not.stringMatching(/^x{5}\nx+$/),
  },
  {
    limit: 'maxParts of a result',
    most: 3,
    use: (count) => toHostResult(texts(...list(count, () => 1)), { maxParts: 3 }).text,
    accepted: 'x\nx\nx',
    refused: expect.not.stringMatching(/^[x\n]+$/),
  },
]
