import { expect, it, onTestFinished, vi } from 'vitest'
import { createServer, post } from '@jetway-apps/test-support/http'
import { adapterCases, describeAdapter } from '../src/contracts/adapter.ts'
import { fastify, fetchHandler, hono } from './support/adapters.ts'
import { breakable } from './support/breakable-adapter.ts'

const tests = {
  fastify: describeAdapter('Fastify', fastify),
  hono: describeAdapter('Hono on Node', hono),
  fetch: describeAdapter('toFetch on Node', fetchHandler),
  sound: describeAdapter('a correct adapter that other tests break', breakable()),
}
const sizes = Object.values(tests).map((names) => names.length)

it('`describeAdapter` registers exactly one test for each case of the declared capabilities', () => {
  expect(sizes).toEqual([61, 61, 52, 61])
  expect(adapterCases([])).toHaveLength(36)
})

it('`describeAdapter` gives every test a unique name', () => {
  expect(new Set(tests.sound).size).toBe(tests.sound.length)
})

it.each([
  ['Fastify', fastify],
  ['Hono', hono],
])(
  "an adapter on %s checks the request head before it reads the host's auth info",
  async (_name, subject) => {
    const auth = vi.fn(() => ({ principal: 'ada' }))
    const { url, release } = await subject.serve(createServer(), { stateless: true }, { auth })
    onTestFinished(release)
    expect((await post(url, '{}', { origin: 'https://evil.example.com' })).status).toBe(403)
    expect(auth).not.toHaveBeenCalled()
  },
)
