import { afterAll, beforeAll, expect, it } from 'vitest'
import { postCall } from './support/post.ts'
import type { Listening } from './support/processes.ts'
import { listenInWorker } from './support/worker.ts'

let server: Listening
beforeAll(async () => {
  server = await listenInWorker(new URL('../../examples/src/project/worker.ts', import.meta.url), {
    bindings: { DEFAULT_TEAM: 'blue' },
  })
})
afterAll(() => server?.stop())

it('the Worker in the deployment guide uses its variables when it responds to calls', async () => {
  const url = server.url.replace('127.0.0.1', 'localhost')
  expect(await (await postCall(url, 'add_note', { text: 'tea' })).text()).toContain('1 notes')
  expect(await (await postCall(url, 'find_notes', { word: 'tea' })).text()).toContain('blue: tea')
})
