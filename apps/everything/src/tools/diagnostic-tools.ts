import { elicit, type McpServer, sample } from '@jetway/core'
import { z } from 'zod'

/** Tools for the conformance suite's checks of requests without a session. */
export function addDiagnosticTools(server: McpServer): void {
  server.addTool({
    name: 'test_missing_capability',
    description: "Asks the client's model, and so is refused to clients without one",
    asks: {
      said: () =>
        sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 }),
    },
    handler: () => 'Asked the model',
  })
  server.addTool({
    name: 'test_streaming_elicitation',
    description: 'Asks a person; where there is no session, by its result alone',
    asks: { user: () => elicit('Go on?', z.object({ ok: z.boolean() }), { declined: 'see' }) },
    handler: () => 'Asked the person',
  })
  server.addTool({
    name: 'test_logging_tool',
    description: 'Logs a message, which reaches those who asked for messages',
    handler(_args, ctx) {
      ctx.log.info('Something happened')
      return 'Logged a message'
    },
  })
  server.addTool({
    name: 'test_trigger_tool_change',
    description: 'Adds a tool for the moment, which changes the list of tools',
    async handler() {
      server.addTool({ name: 'test_momentary_tool', handler: () => 'here' })
      await moment()
      return String(server.removeTool('test_momentary_tool'))
    },
  })
  server.addTool({
    name: 'test_trigger_prompt_change',
    description: 'Adds a prompt for the moment, which changes the list of prompts',
    async handler() {
      server.addPrompt({ name: 'test_momentary_prompt', handler: () => 'here' })
      await moment()
      return String(server.removePrompt('test_momentary_prompt'))
    },
  })
}

/** Lets a server that observes this one notice a change before the next one. */
const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
