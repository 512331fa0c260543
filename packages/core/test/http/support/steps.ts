import { settled } from '@jetway-apps/test-support'
import * as z from 'zod'
import type { McpServer } from '../../../src/index.ts'

/** Makes tools wait until the test lets them take a step. */
export interface Steps {
  /** Resolves when the test takes the next step. */
  readonly next: () => Promise<void>
  /** Lets every waiting tool continue. Resolves when all pending promises have settled. */
  readonly step: () => Promise<void>
}

export function createSteps(): Steps {
  let waiting: (() => void)[] = []
  return {
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async step() {
      const now = waiting
      waiting = []
      for (const resolve of now) resolve()
      for (let i = 0; i < 3; i++) await settled()
    },
  }
}

/** Adds a tool that reports 1, 2, 3 … up to `to`, one number per step. */
export function addCount(server: McpServer, { next }: Steps): void {
  server.addTool({
    name: 'count',
    inputSchema: z.object({ to: z.number() }),
    handler: async ({ to }, ctx) => {
      for (let i = 1; i <= to; i++) {
        await next()
        void ctx.progress(i)
      }
      return 'counted'
    },
  })
}
