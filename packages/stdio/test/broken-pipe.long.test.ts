import { expect, it } from 'vitest'
import { breakPipes } from './support/broken-pipe.ts'

it(
  '`serveStdio` closes without an error when the pipe breaks during a write',
  { timeout: 600_000 },
  async () => {
    expect(await breakPipes(1000)).toEqual([])
  },
)
