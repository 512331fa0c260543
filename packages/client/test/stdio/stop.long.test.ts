import { expect, test } from 'vitest'
import { connectAndClose } from './support/rounds.ts'

test(
  'leaves no process after 500 connections with wrappers, process groups and servers that ignore signals',
  { timeout: 600_000 },
  async () => {
    expect(await connectAndClose(500)).toEqual([])
  },
)
