import { expect, it } from 'vitest'
import { connectAndClose } from './support/processes.ts'

it(
  'the manager leaves no process behind after 500 connections with wrappers, detached processes and ignored signals',
  { timeout: 600_000 },
  async () => {
    const { pids, left } = await connectAndClose(500)
    expect(pids).toHaveLength(1_000)
    expect(left).toEqual([])
  },
)
