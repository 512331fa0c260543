import { expect, it } from 'vitest'
import { breakPipes } from './support/broken-pipe.ts'

it('`serveStdio` closes without an error when the pipe breaks during a write', async () => {
  expect(await breakPipes(100)).toEqual([])
})
