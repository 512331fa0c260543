import { expect, it } from 'vitest'
import { connectAndClose } from './support/processes.ts'

it(
  '500 times connected and closed leaves no process: no wrapper, nothing that has left its group or hears no signal',
  { timeout: 600_000 },
  async () => {
    const { pids, left } = await connectAndClose(500)
    expect(pids).toHaveLength(1_000)
    expect(left).toEqual([])
  },
)
