import { connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import { server } from '../src/server.ts'

expect.extend(matchers)

describe('roll_dice', () => {
  it('returns the dice and their sum as text, for hosts without views', async () => {
    await using client = await connect(server)
    expect(await client.callTool('roll_dice', { count: 3 })).toHaveText(/^\d \+ \d \+ \d = \d+$/)
  })

  it('refuses more than 20 dice', async () => {
    await using client = await connect(server)
    expect(await client.callTool('roll_dice', { count: 21 })).toBeToolError(/count/)
  })
})
