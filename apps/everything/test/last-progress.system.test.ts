import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, type Driver, MODERN_CLIENTS, SSE_CLIENTS } from './support/clients.ts'
import { program } from '@jetway-tools/runtimes/program'
import { type Listening, start, type Target } from './support/processes.ts'

const RUNS = 30
const PROGRAM = program(new URL('./support/serve-progress.ts', import.meta.url))

type Connect = (target: Target) => Promise<Driver>

function cases(clients: Readonly<Record<string, Connect>>): readonly (readonly [string, Connect])[] {
  return Object.entries({ ...clients, ...CLIENTS, ...MODERN_CLIENTS })
}

/** Returns the progress steps received in each run. */
async function progressOf(driver: Driver, tool: string): Promise<readonly (readonly number[])[]> {
  const runs: number[][] = []
  for (let run = 0; run < RUNS; run++) {
    const steps: number[] = []
    await driver.callTool(tool, {}, { onprogress: ({ progress }) => void steps.push(progress) })
    runs.push(steps)
  }
  return runs
}

const WHOLE = Array.from({ length: RUNS }, () => [1, 2, 3, 4, 5])

function allProgressArrives(connect: Connect, target: () => Target): void {
  let driver: Driver

  beforeAll(async () => {
    driver = await connect(target())
  })
  afterAll(() => driver?.close())

  it.each(['at_once', 'step_by_step', 'without_await'])(
    'receives all progress notifications from the tool %s',
    async (tool) => {
      expect(await progressOf(driver, tool)).toEqual(WHOLE)
    },
  )
}

describe.each(cases({}))('the official client %s over stdio', (_, connect) =>
  allProgressArrives(connect, () => ({ command: process.execPath, args: [...PROGRAM, '--stdio'] })),
)

describe('connected over HTTP', () => {
  let server: Listening

  beforeAll(async () => {
    server = await start([...PROGRAM, '--http', '--adapter', 'fastify', '--port', '0'])
  })
  afterAll(() => server?.stop())

  describe.each(cases(SSE_CLIENTS))('the official client %s', (_, connect) =>
    allProgressArrives(connect, () => server),
  )
})
