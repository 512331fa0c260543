import { Client } from '@jetway/client'
import { describe, expect, it } from 'vitest'
import { TRANSPORTS } from './support/servers.ts'

describe.concurrent('a task of server-everything', () => {
  it.for(TRANSPORTS)(
    'requests input from the user while it runs, and lets the client await its result: %s',
    async ([, open]) => {
      const { dial, close } = await open()
      const client = new Client(
        { name: 'real-servers', version: '1.0.0' },
        {
          eras: false,
          handlers: { elicit: () => ({ action: 'accept', content: { interpretation: 'snake' } }) },
        },
      )
      try {
        await client.connect(dial)
        const task = await client.startTask('simulate-research-query', { topic: 'python', ambiguous: true })
        const { content } = await task.result()
        expect(content).toMatchObject([{ text: expect.stringContaining('python (snake)') }])
      } finally {
        await client.close()
        await close()
      }
    },
  )
})
