import { connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import { server } from '../src/server.ts'

expect.extend(matchers)

describe('greet', () => {
  it('greets the person', async () => {
    await using client = await connect(server)
    expect(await client.callTool('greet', { name: 'Ada' })).toHaveText('Hello, Ada')
  })

  it('names the argument that is missing', async () => {
    await using client = await connect(server)
    expect(await client.callTool('greet', {})).toBeToolError(/name/)
  })
})

describe('settings://greeting', () => {
  it('has the word', async () => {
    await using client = await connect(server)
    const { contents } = await client.readResource('settings://greeting')
    expect(contents).toMatchObject([{ text: 'Hello', mimeType: 'text/plain' }])
  })
})
