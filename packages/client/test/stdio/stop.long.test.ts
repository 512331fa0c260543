import { expect, test } from 'vitest'
import { connectAndClose } from './support/rounds.ts'

test(
  'close leaves no process behind after 500 connections with wrappers, process groups and servers that ignore signals',
  { timeout: 600_000 },
  async () => {
    expect(await connectAndClose(500)).toEqual([])
  },
)
