import { defineTool } from '@jetway/core'
import { ACTS } from '../tools/hints.ts'
import { atOnce, type Outcome, runInClient } from './client-task.ts'

const PARAMS = {
  task: { ttl: 600_000 },
  message: 'Please provide inputs for the following fields (async task demo):',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { title: 'Your Name', type: 'string', description: 'Your full name' },
      favoriteColor: {
        title: 'Favorite Color',
        type: 'string',
        description: 'What is your favorite color?',
        enum: ['Red', 'Blue', 'Green', 'Yellow', 'Purple'],
      },
      agreeToTerms: {
        title: 'Terms Agreement',
        type: 'boolean',
        description: 'Do you agree to the terms and conditions?',
      },
    },
    required: ['name'],
  },
}

const POLLING = {
  maxPolls: 600,
  isShown: (poll: number, status: string) => poll === 1 || poll % 10 === 0 || status !== 'input_required',
}

const SHOWN = [
  ['name', 'Name'],
  ['favoriteColor', 'Favorite Color'],
  ['agreeToTerms', 'Agreed to terms'],
] as const

const OUTCOMES: Readonly<Record<string, string>> = {
  accept: '[COMPLETED] User provided the requested information!',
  decline: '[DECLINED] User declined to provide the requested information.',
  cancel: '[CANCELLED] User cancelled the elicitation dialog.',
}

export const triggerElicitationRequestAsync = defineTool({
  name: 'trigger-elicitation-request-async',
  title: 'Trigger Async Elicitation Request Tool',
  description:
    'Trigger an async elicitation request that the CLIENT executes as a background task. ' +
    'Demonstrates bidirectional MCP tasks where the server sends an elicitation request and ' +
    'the client handles user input asynchronously, allowing the server to poll for completion.',
  annotations: ACTS,
  timeoutMs: 660_000,
  visible: ({ client }) =>
    client.supports('elicitation') && client.supports('tasks.requests.elicitation.create'),
  async handler(_args, ctx) {
    const outcome = await runInClient(ctx, 'elicitation/create', PARAMS, POLLING)
    return { content: textsOf(outcome).map((text) => ({ type: 'text', text }) as const) }
  },
})

function textsOf(outcome: Outcome): readonly string[] {
  if (outcome.kind === 'at once') return [atOnce(outcome.result)]
  if (outcome.kind === 'ended') return [outcome.text]
  const { result, progress } = outcome
  const { action, content } = result as { action: string; content?: Readonly<Record<string, unknown>> }
  const raw = `\nProgress:\n${progress}\n\nRaw result: ${JSON.stringify(result, null, 2)}`
  const head = OUTCOMES[action]
  if (head === undefined || (action === 'accept' && content === undefined)) return [raw]
  return action === 'accept' ? [head, `User inputs:\n${linesOf(content ?? {})}`, raw] : [head, raw]
}

const linesOf = (content: Readonly<Record<string, unknown>>) =>
  SHOWN.filter(([field]) => content[field] !== undefined && content[field] !== '')
    .map(([field, label]) => `- ${label}: ${String(content[field])}`)
    .join('\n')
