import { describe, it } from 'vitest'
import * as z from 'zod'
import {
  content,
  contents,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  McpServer,
  result,
} from '../../../src/index.ts'
import type { CallToolResult, ContentBlock, ReadResourceResult } from '../../../src/protocol/types.ts'

const server = new McpServer({ name: 'types', version: '1' })
const text = { type: 'text', text: 'x' } as const
const inputSchema = z.object({ city: z.string() })

/** The result type of the official SDK, version 1. It is open, and has optional properties of other types. */
interface SdkResult {
  [member: string]: unknown
  _meta?: { [member: string]: unknown; progressToken?: string | number | undefined } | undefined
  content: ({ type: 'text'; text: string; _meta?: Record<string, unknown> | undefined } | SdkImage)[]
  structuredContent?: Record<string, unknown> | undefined
  isError?: boolean | undefined
}
interface SdkImage {
  type: 'image'
  data: string
  mimeType: string
  annotations?: { audience?: ('user' | 'assistant')[] | undefined } | undefined
}

/** The prompt result type of the official SDK, version 1. */
interface SdkPrompt {
  [member: string]: unknown
  _meta?: { [member: string]: unknown } | undefined
  description?: string | undefined
  messages: {
    role: 'user' | 'assistant'
    content:
      | { type: 'text'; text: string; annotations?: { priority?: number | undefined } | undefined }
      | SdkImage
  }[]
}

describe('the types for tool results', () => {
  it('reject a malformed result', () => {
    // @ts-expect-error content is an array
    defineTool({ name: 'a', handler: () => ({ content: 'text' }) })
    // @ts-expect-error a text block has a text
    defineTool({ name: 'a', handler: () => ({ content: [{ type: 'text' }] }) })
    // @ts-expect-error no block is a video
    defineTool({ name: 'a', handler: () => ({ content: [{ type: 'video', data: '' }] }) })
    // @ts-expect-error an image has a media type
    defineTool({ name: 'a', handler: () => ({ content: [text, { type: 'image', data: '' }] }) })
    // @ts-expect-error isError is a boolean
    defineTool({ name: 'a', handler: () => ({ content: [text], isError: 'yes' }) })
    // @ts-expect-error isError is misspelt
    defineTool({ name: 'a', handler: () => ({ content: [text], isEror: true }) })
  })

  it('reject a malformed result from any kind of handler, even if only one branch returns it', () => {
    defineTool({
      name: 'a',
      inputSchema,
      // @ts-expect-error a text block has a text
      handler: async ({ city }) => ({ content: [{ type: 'text', city }] }),
    })
    // @ts-expect-error a text block has a text
    server.addTool({ name: 'a', inputSchema, handler: ({ city }) => ({ content: [{ type: 'text', city }] }) })
    defineTool({
      name: 'a',
      // @ts-expect-error the second one
      handler: (_args, ctx) => (ctx.uri === '' ? { content: [text] } : { content: 'No', isError: true }),
    })
    defineTool({
      name: 'a',
      // @ts-expect-error a text block has a text
      async handler() {
        return { content: [{ type: 'text' }] }
      },
    })
  })

  it('reject content blocks outside a result', () => {
    // @ts-expect-error an array of blocks is not a result
    defineTool({ name: 'a', handler: () => [{ type: 'text', text: 'x' }] })
    // @ts-expect-error one block is not a result
    defineTool({ name: 'a', handler: () => ({ type: 'text', text: 'x' }) })
    // @ts-expect-error part of a block is not a result
    defineTool({ name: 'a', handler: () => [{ type: 'text' }] })
    const blocks: ContentBlock[] = []
    // @ts-expect-error typed blocks are not a result
    defineTool({ name: 'a', handler: () => blocks })
  })

  it('reject values that JSON reduces to {}', () => {
    // @ts-expect-error a Map
    defineTool({ name: 'a', handler: () => new Map([['a', 1]]) })
    // @ts-expect-error a Set
    defineTool({ name: 'a', handler: async () => new Set(['a']) })
    // @ts-expect-error promises that nobody awaits
    defineTool({ name: 'a', inputSchema, handler: ({ city }) => [city].map(async (name) => name) })
  })
})

describe('the types for valid tool results', () => {
  it("accept results in the protocol's form and results built with helpers", () => {
    defineTool({ name: 'a', handler: () => ({ content: [{ type: 'text', text: 'x' }], isError: true }) })
    defineTool({
      name: 'a',
      handler: () => ({ content: [], structuredContent: { a: 1 }, _meta: { 'x/y': 1 } }),
    })
    defineTool({ name: 'a', handler: async (): Promise<CallToolResult> => ({ content: [text] }) })
    defineTool({ name: 'a', handler: async (): Promise<SdkResult> => ({ content: [text] }) })
    defineTool({
      name: 'a',
      inputSchema,
      handler: ({ city }) => ({
        content: [
          { type: 'text', text: city, annotations: { priority: 1, audience: ['user'] } },
          { type: 'image', data: 'aGk=', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'a://b', name: 'b', description: 'B', mimeType: 'text/plain' },
          { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'x' } },
          content.text('x'),
        ],
      }),
    })
    defineTool({
      name: 'a',
      handler: (_args, { uri }) => (uri === '' ? result.error('No') : content.text('x')),
    })
  })

  it('accept data that shares member names with a result', () => {
    defineTool({ name: 'a', handler: () => ({ content: 'text', path: 'a.txt' }) })
    defineTool({ name: 'a', handler: () => ({ content: [], total: 0 }) })
    defineTool({ name: 'a', handler: () => ({ content: [{ id: 1 }], total: 1 }) })
    defineTool({ name: 'a', handler: () => ({ isError: true, message: 'No' }) })
    defineTool({ name: 'a', handler: () => [{ type: 'text', path: 'a.txt' }] })
    defineTool({ name: 'a', handler: () => ({ name: 'E', message: 'No' }) })
    defineTool({ name: 'a', handler: (): { [name: string]: unknown } => ({ content: 'x' }) })
    defineTool({ name: 'a', handler: () => JSON.parse('{}') })
    defineTool({ name: 'a', handler: () => [] })
    defineTool({ name: 'a', handler: () => [JSON.parse('1')] })
    defineTool({
      name: 'a',
      handler: () => {
        throw new Error('No')
      },
    })
  })

  it('accept a bare value or a complete result if the outputSchema declares content', () => {
    const outputSchema = z.object({ content: z.string() })
    defineTool({ name: 'a', outputSchema, handler: () => ({ content: 'x' }) })
    defineTool({
      name: 'a',
      outputSchema,
      handler: () => ({ content: [{ type: 'text', text: 'x' }], structuredContent: { content: 'x' } }),
    })
    // @ts-expect-error the schema defines content
    defineTool({ name: 'a', outputSchema, handler: () => ({ content: [{ type: 'text', text: 'x' }] }) })
  })
})

it('the types for prompt results accept results with types from other packages', () => {
  definePrompt({ name: 'a', handler: (): SdkPrompt => ({ messages: [{ role: 'user', content: text }] }) })
})

describe('the result types for a resource or template', () => {
  it('reject a malformed result', () => {
    // @ts-expect-error contents is an array
    defineResource({ uri: 'a://b', name: 'a', handler: () => ({ contents: 'x' }) })
    // @ts-expect-error contents have a text or a blob
    defineResource({ uri: 'a://b', name: 'a', handler: (_args, { uri }) => ({ contents: [{ uri }] }) })
    defineResourceTemplate({
      uriTemplate: 'a://{b}',
      name: 'a',
      // @ts-expect-error a member is misspelt
      handler: async ({ b }, { uri }) => ({ contents: [{ uri, text: b }], ttl: 1 }),
    })
    // @ts-expect-error contents are in a result
    server.addResource({ uri: 'a://b', name: 'a', handler: (_args, { uri }) => [{ uri, text: 'x' }] })
    // @ts-expect-error a Map
    server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => new Map() })
  })

  it('accept results and data', () => {
    defineResource({ uri: 'a://b', name: 'a', handler: () => contents([{ text: 'x' }]) })
    defineResource({
      uri: 'a://b',
      name: 'a',
      handler: (_args, { uri }) => ({ contents: [{ uri, blob: 'aGk=' }], ttlMs: 5000 }),
    })
    defineResource({ uri: 'a://b', name: 'a', handler: (): ReadResourceResult => ({ contents: [] }) })
    defineResource({ uri: 'a://b', name: 'a', handler: () => ({ contents: ['a.txt'], total: 1 }) })
    defineResource({ uri: 'a://b', name: 'a', handler: async () => new Uint8Array(2) })
    defineResource({ uri: 'a://b', name: 'a', handler: () => {} })
    defineResource({ uri: 'a://b', name: 'a', handler: () => [] })
    server.addResourceTemplate({ uriTemplate: 'c://{b}', name: 'a', handler: ({ b }): unknown => b })
  })
})
