import { describe, expect, it } from 'vitest'
import { ROWS } from './support/neighbours/rows.ts'
import { createWorld, neighbour, SERVED, STRANGERS, type Who } from './support/neighbours/world.ts'

const BOB: Who = { 'x-principal': 'bob' }
const FILLERS: readonly (readonly [string, Who])[] = [
  ['another principal', { 'x-principal': 'alice' }],
  ['anonymous callers', {}],
  ['anonymous callers at several addresses', STRANGERS],
]

describe.each(FILLERS)('%s who reach a limit', (_, who) => {
  it.each(ROWS.map((row) => [row.limit, row] as const))(
    'do not affect other principals: %s',
    async (_limit, { server, mount, fill, full }) => {
      const world = createWorld(server?.() ?? {}, mount?.() ?? {})
      const bob = await neighbour(world.web, BOB)
      expect({ full: await fill(world, who) }).toMatchObject({ full })
      expect(await bob.served()).toEqual(SERVED)
    },
  )
})

describe('anonymous callers who reach a limit', () => {
  it.each(ROWS.filter((row) => row.sparesAddresses).map((row) => [row.limit, row] as const))(
    'do not affect anonymous callers at other addresses: %s',
    async (_limit, { server, mount, fill, full }) => {
      const world = createWorld(server?.() ?? {}, mount?.() ?? {})
      const carol = await neighbour(world.web, { 'x-address': '203.0.113.1' })
      expect({ full: await fill(world, STRANGERS) }).toMatchObject({ full })
      expect(await carol.served()).toEqual(SERVED)
    },
  )
})
