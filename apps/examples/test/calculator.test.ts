import { connect } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { expect, it } from 'vitest'
import { server } from '../src/quickstart/calculator.ts'

expect.extend(matchers)

it('divide returns the quotient', async () => {
  await using client = await connect(server)
  const result = await client.callTool('divide', { dividend: 6, divisor: 3 })
  expect(result).toHaveStructured({ quotient: 2 })
})

it('divide returns a hint to the model if the divisor is 0', async () => {
  await using client = await connect(server)
  const result = await client.callTool('divide', { dividend: 6, divisor: 0 })
  expect(result).toBeToolError('Choose a divisor other than 0')
})
