import type { McpServer } from '@jetway/core'
import { z } from 'zod'

/**
 * The maximum number of stored outcomes of waiting calls, which are keyed by the caller's key. The oldest
 * entry is dropped first.
 */
const KEPT_OUTCOMES = 10_000

/** Adds tools that concern the call itself: its caller, and the outcome of a cancelled call. */
export function addCallTools(server: McpServer): void {
  const outcomes = new Map<string, 'waiting' | 'cancelled'>()

  server.addTool({
    name: 'describe_call',
    description: 'What the server knows of its caller',
    outputSchema: z.object({
      client: z.string(),
      protocolVersion: z.string(),
      session: z.boolean(),
      requestId: z.union([z.string(), z.number()]),
    }),
    handler: (_args, ctx) => ({
      client: ctx.client.info?.name ?? '',
      protocolVersion: ctx.protocolVersion,
      session: ctx.session !== undefined,
      requestId: ctx.requestId,
    }),
  })

  server.addTool({
    name: 'wait_for_cancellation',
    description:
      'Waits until it is cancelled; reports progress at once, so that its caller knows that it waits',
    inputSchema: z.object({ key: z.string() }),
    async handler({ key }, ctx) {
      if (outcomes.size >= KEPT_OUTCOMES) outcomes.delete(outcomes.keys().next().value ?? '')
      outcomes.set(key, 'waiting')
      await Promise.all([ctx.progress(1), aborted(ctx.signal)])
      outcomes.set(key, 'cancelled')
    },
  })

  server.addTool({
    name: 'outcome_of_wait',
    description: 'Whether a call of wait_for_cancellation still waits',
    inputSchema: z.object({ key: z.string() }),
    handler: ({ key }) => outcomes.get(key) ?? 'unknown',
  })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
