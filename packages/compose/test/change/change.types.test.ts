import { defineTool, McpServer } from '@jetway/core'
import { describe, it } from 'vitest'
import { z } from 'zod'
import { change, sourceOf } from '../../src/index.ts'

const server = new McpServer({ name: 'typed', version: '1' })
const search = defineTool({
  name: 'search',
  inputSchema: z.object({ q: z.string(), limit: z.number() }),
  handler: () => 'x',
})

describe('change', () => {
  it('accepts the tools and arguments that a typed source has', () => {
    change(sourceOf(server, { search }), {
      tools: { search: { args: { q: { name: 'query' }, limit: { hide: true, value: 1 } } } },
    })
  })

  it('refuses others', () => {
    const typed = sourceOf(server, { search })
    // @ts-expect-error -- there is no such tool
    change(typed, { tools: { serach: false } })
    // @ts-expect-error -- the tool has no such argument
    change(typed, { tools: { search: { args: { query: {} } } } })
  })

  it('accepts any names where the source has no types', () => {
    change(sourceOf(server), { tools: { anything: { args: { whatever: { name: 'x' } } } } })
  })
})
