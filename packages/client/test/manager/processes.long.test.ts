import { expect, it } from 'vitest'
import { connectAndClose } from './support/processes.ts'

it(
  '500 connections leave no process: no wrapper, no detached one, none that ignores signals',
  { timeout: 600_000 },
  async () => {
    const { pids, left } = await connectAndClose(500)
    expect(pids).toHaveLength(1_000)
    expect(left).toEqual([])
  },
)
