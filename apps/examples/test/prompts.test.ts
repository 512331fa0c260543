import { connect } from '@jetway/testing'
import { expect, it } from 'vitest'
import { server } from '../src/prompts/prompts.ts'

// #region complete
it('the prompt suggests cities in the chosen country', async () => {
  await using client = await connect(server)
  const city = { prompt: 'plan_trip', argument: 'city' }
  const { values } = await client.complete(city, 'B', { known: { country: 'Italy' } })
  expect(values).toEqual(['Bari', 'Bologna'])
  expect((await client.complete(city, 'B')).values).toEqual([])
})
// #endregion
