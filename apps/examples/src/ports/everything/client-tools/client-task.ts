import { setTimeout as delay } from 'node:timers/promises'
import type { RequestContext } from '@jetway/core'

const POLL_MS = 1000
const ENDED = ['completed', 'failed', 'cancelled']

type Result = Readonly<Record<string, unknown>>

interface TaskState {
  readonly taskId: string
  readonly status: string
  readonly statusMessage?: string
}

/** The outcome of a request that the client may run as a task. */
export type Outcome =
  | { readonly kind: 'at once'; readonly result: Result }
  | { readonly kind: 'completed'; readonly result: Result; readonly progress: string }
  | { readonly kind: 'ended'; readonly text: string }

interface Polling {
  readonly maxPolls: number
  readonly isShown: (poll: number, status: string) => boolean
}

/**
 * Sends the client a request, and polls the request's task until it has ended. Only revision 2025-11-25 has
 * client-side tasks, so Jetway has no method for them.
 */
export async function runInClient(
  ctx: Pick<RequestContext, 'request' | 'signal'>,
  method: string,
  params: Result,
  { maxPolls, isShown }: Polling,
): Promise<Outcome> {
  const result = await ctx.request(method, params)
  const task = result['task'] as TaskState | undefined
  if (task === undefined) return { kind: 'at once', result }
  const { taskId } = task
  const lines = [`Task created: ${taskId}`]
  let { status, statusMessage }: Omit<TaskState, 'taskId'> = { status: task.status }
  let polls = 0
  while (!ENDED.includes(status) && polls < maxPolls) {
    await delay(POLL_MS, undefined, { signal: ctx.signal })
    polls++
    ;({ status, statusMessage } = (await ctx.request('tasks/get', { taskId })) as unknown as TaskState)
    const message = statusMessage ? ` - ${statusMessage}` : ''
    if (isShown(polls, status)) lines.push(`Poll ${polls}: ${status}${message}`)
  }
  const progress = lines.join('\n')
  if (polls >= maxPolls) return ended(`[TIMEOUT] Task timed out after ${maxPolls} poll attempts`, progress)
  if (status !== 'completed')
    return ended(`[${status.toUpperCase()}] ${statusMessage || 'No message'}`, progress)
  return { kind: 'completed', result: await ctx.request('tasks/result', { taskId }), progress }
}

const ended = (text: string, progress: string): Outcome => ({
  kind: 'ended',
  text: `${text}\n\nProgress:\n${progress}`,
})

/** The text for a request that the client did not run as a task. */
export const atOnce = (result: Result) =>
  `[SYNC] Client executed synchronously:\n${JSON.stringify(result, null, 2)}`
