import { connect } from '@jetway/testing'
import { expect, it } from 'vitest'
import { server } from '../src/prompts/completion.ts'

it('completion suggests cities in the country that the user has chosen', async () => {
  await using client = await connect(server)
  const city = { prompt: 'plan_trip', argument: 'city' }
  expect((await client.complete({ prompt: 'plan_trip', argument: 'country' }, 'f')).values).toEqual([
    'France',
  ])
  expect((await client.complete(city, 'l', { known: { country: 'France' } })).values).toEqual([
    'Lille',
    'Lyon',
  ])
  expect((await client.complete(city, 'l')).values).toEqual([])
  const variable = { template: 'guide://{country}/{city}', argument: 'city' }
  expect(await client.complete(variable, '', { known: { country: 'Austria' } })).toMatchObject({
    values: ['Graz', 'Linz', 'Vienna'],
    total: 3,
  })
})
