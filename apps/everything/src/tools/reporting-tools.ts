import { setTimeout as delay } from 'node:timers/promises'
import type { McpServer } from '@jetway/core'
import { z } from 'zod'

/** The pause between two messages, in ms. */
const STEP_MS = 50

/** Tools that send notifications while they run. */
export function addReportingTools(server: McpServer): void {
  server.addTool({
    name: 'test_tool_with_logging',
    description: 'Logs three messages while it runs',
    async handler(_args, ctx) {
      ctx.log.info('Tool execution started')
      await delay(STEP_MS)
      ctx.log.info('Tool processing data')
      await delay(STEP_MS)
      ctx.log.info('Tool execution completed')
      return 'Logged three messages'
    },
  })

  server.addTool({
    name: 'test_tool_with_progress',
    description: 'Reports progress three times while it runs',
    async handler(_args, ctx) {
      for (const done of [0, 50, 100]) {
        if (done > 0) await delay(STEP_MS)
        await ctx.progress(done, 100, `${done} of 100`)
      }
      return 'Reported progress three times'
    },
  })

  server.addTool({
    name: 'log_every_level',
    description: 'Logs one message of each severity, mildest first',
    inputSchema: z.object({ logger: z.string().optional() }),
    handler({ logger }, ctx) {
      ctx.log.debug({ severity: 'debug' }, logger)
      ctx.log.info({ severity: 'info' }, logger)
      ctx.log.notice({ severity: 'notice' }, logger)
      ctx.log.warning({ severity: 'warning' }, logger)
      ctx.log.error({ severity: 'error' }, logger)
      ctx.log.critical({ severity: 'critical' }, logger)
      ctx.log.alert({ severity: 'alert' }, logger)
      ctx.log.emergency({ severity: 'emergency' }, logger)
      return 'Logged eight messages'
    },
  })

  server.addTool({
    name: 'test_reconnection',
    description: 'Closes its connection, then answers: the answer is there for a client that comes back',
    async handler(_args, ctx) {
      ctx.log.info('The stream is open')
      ctx.closeConnection({ retryMs: STEP_MS })
      await delay(2 * STEP_MS)
      return 'Answered after a while'
    },
  })
}
