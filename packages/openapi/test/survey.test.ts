import { describe, expect, it } from 'vitest'
import { survey } from '../src/index.ts'
import { pets } from './support/pets.ts'

describe('survey', () => {
  it('lists all operations, with the names and sizes of their tools', () => {
    const { title, servers, schemes, operations, faults } = survey(pets)
    expect({ title, servers, schemes, faults }).toEqual({
      title: 'Pets',
      servers: ['https://pets.invalid/v1'],
      schemes: [],
      faults: [],
    })
    expect(operations.map(({ key, name, deprecated }) => [key, name, deprecated])).toEqual([
      ['GET /pets', 'list_pets', false],
      ['POST /pets', 'create_pet', false],
      ['GET /pets/{id}', 'get_pets_by_id', false],
      ['DELETE /pets/{id}', 'delete_pet', true],
    ])
    for (const { tokens } of operations) expect(tokens).toBeGreaterThan(10)
  })

  it('needs no credentials and no server, and reports faults', () => {
    const paths = {
      '/a': {
        get: {
          security: [{ key: [] }],
          parameters: [{ name: 'q', in: 'query', schema: { $ref: '#/none' } }],
        },
      },
      '/b': { get: { parameters: [{ in: 'query' }] } },
    }
    const { operations, faults } = survey({ openapi: '3.1.0', paths })
    expect(operations.map(({ key }) => key)).toEqual(['GET /a'])
    expect(faults).toMatchObject([
      { where: 'GET /b', leftOut: true },
      { where: 'GET /a', leftOut: false },
    ])
  })
})
