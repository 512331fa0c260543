import { describe, expect, it } from 'vitest'
import { content, McpServer, result } from '../../../src/index.ts'
import { openPeer } from '../../support/peer.ts'

const sdkResult = { content: [{ type: 'text', text: 'hello' }] }

interface Told {
  readonly fields: object
  readonly message: string
}

async function call(
  returned: unknown,
  { times = 1, ...rest }: { readonly times?: number; readonly outputSchema?: object } = {},
): Promise<{ readonly text: unknown; readonly told: readonly Told[] }> {
  const told: Told[] = []
  const quiet = (): void => {}
  const warn = (fields: object, message: string): void => void told.push({ fields, message })
  const server = new McpServer(
    { name: 'test', version: '1' },
    { logger: { debug: quiet, info: quiet, warn, error: quiet } },
  )
  server.addTool({ name: 't', ...(rest as object), handler: () => returned as string })
  const peer = await openPeer(server)
  let text: unknown
  for (let i = 0; i < times; i++) {
    const { result: got } = await peer.request('tools/call', { name: 't' })
    text = (got['content'] as readonly { readonly text?: string }[])[0]?.text
  }
  await peer.close()
  return { text, told }
}

describe("a plain object that reads like another SDK's result", () => {
  it('is data, and the log is told once which helper makes a result', async () => {
    const { text, told } = await call(sdkResult, { times: 3 })
    expect(text).toBe(JSON.stringify(sdkResult))
    expect(told).toEqual([{ fields: { tool: 't' }, message: expect.stringContaining('result({') as string }])
  })

  it.each([
    ['a real result', result({ content: content.text('x') })],
    ['other data', { content: 'text' }],
    ['an empty list', { content: [] }],
    ['a list of something else', { content: [{ type: 'text' }, { id: 1 }] }],
    ['a text', 'content'],
  ])('%s is no such thing', async (_what, returned) => {
    expect((await call(returned)).told).toEqual([])
  })

  it('is the structured value where an outputSchema says so, without a word', async () => {
    const outputSchema = { type: 'object', properties: { content: { type: 'array' } } }
    expect((await call(sdkResult, { outputSchema })).told).toEqual([])
  })
})
