import { expect, test } from 'vitest'
import { connectAndClose } from './support/rounds.ts'

test(
  '500 times connected and closed, with wrappers, groups of their own and servers that ignore signals: nothing is left',
  { timeout: 600_000 },
  async () => {
    expect(await connectAndClose(500)).toEqual([])
  },
)
