import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Listening } from './support/processes.ts'
import { connectHttp, ERAS, itAnswers, itHearsOfClientsThatLeave, itStreams } from './support/suite.ts'
import { listenInWorker } from './support/worker.ts'

const says = { name: 'workerd', version: expect.stringMatching(/^\d{4}\.\d{2}\.\d{2}/) as unknown }

describe('a Worker', () => {
  let server: Listening
  beforeAll(async () => {
    server = await listenInWorker(new URL('../src/worker.ts', import.meta.url))
  })
  afterAll(() => server?.stop())

  const connect = connectHttp(() => server.url)
  describe.each(ERAS)('with a client that uses %s', (_, revision) => {
    itAnswers(() => connect({ revision }), says)
    itStreams(() => connect({ revision }))
  })
  itHearsOfClientsThatLeave(connect)
})
