import { expect, it } from 'vitest'
import { adapterCases, describeAdapter } from '../src/contracts/adapter.ts'
import { fastify, fetchHandler, hono } from './support/adapters.ts'
import { breakable } from './support/breakable-adapter.ts'

const tests = {
  fastify: describeAdapter('Fastify', fastify),
  hono: describeAdapter('Hono on Node', hono),
  fetch: describeAdapter('toFetch on Node', fetchHandler),
  sound: describeAdapter('the one that other tests break', breakable()),
}
const sizes = Object.values(tests).map((names) => names.length)

it('has a test for every promise that a capability adds, and none for the others', () => {
  expect(sizes).toEqual([50, 50, 43, 50])
  expect(adapterCases([])).toHaveLength(35)
})

it('names each promise once', () => {
  expect(new Set(tests.sound).size).toBe(tests.sound.length)
})
