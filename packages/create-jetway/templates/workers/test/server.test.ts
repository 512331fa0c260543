import { connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import { server } from '../src/server.ts'

expect.extend(matchers)

describe('greet', () => {
  it('greets the person with the word of the binding', async () => {
    await using client = await connect(server, { locals: { GREETING: 'Good day' } })
    expect(await client.callTool('greet', { name: 'Ada' })).toHaveText('Good day, Ada')
  })

  it('names the argument that is missing', async () => {
    await using client = await connect(server, { locals: { GREETING: 'Hello' } })
    expect(await client.callTool('greet', {})).toBeToolError(/name/)
  })
})
