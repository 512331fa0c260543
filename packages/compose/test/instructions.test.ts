import { McpServer } from '@jetway/core'
import { connect } from '@jetway/testing'
import { describe, expect, it } from 'vitest'
import { joinInstructions, only, prefix, sourceOf } from '../src/index.ts'

const server = (name: string, instructions?: string | (() => Promise<string | undefined>)): McpServer =>
  new McpServer({ name, version: '1' }, instructions === undefined ? {} : { instructions })

describe('joinInstructions', () => {
  it('joins the texts under the titles of their servers', async () => {
    const sources = [
      prefix('orders', sourceOf(server('Orders', 'Refund with care.'))),
      sourceOf(server('Silent')),
      only({}, sourceOf(server('Files', () => Promise.resolve('Read first.')))),
    ]
    const parent = new McpServer(
      { name: 'parent', version: '1' },
      { instructions: joinInstructions('Ask before you write.', sources) },
    )
    await using client = await connect(parent)
    expect(client.server?.instructions).toBe(
      'Ask before you write.\n\n# Orders (orders_…)\n\nRefund with care.\n\n# Files\n\nRead first.',
    )
  })

  it('cuts each part at 4,096 characters, and not within a character', async () => {
    const join = joinInstructions(undefined, [sourceOf(server('Long', `x${'😀'.repeat(5_000)}`))])
    const text = await join({} as never)
    expect(text).toMatch(/^# Long\n\nx(?:😀)+…$/u)
    expect(text?.length).toBeLessThanOrEqual('# Long\n\n'.length + 4_096)
  })

  it('returns nothing if there are no texts', async () => {
    expect(await joinInstructions(undefined, [sourceOf(server('Silent'))])({} as never)).toBeUndefined()
  })
})
